// Makes the commit that users refer to: main's tree plus dist/, on a commit beside main, tagged vX.Y.Z and vX.
// Without --yes it only says what it would do. It never pushes, and never touches the branch or the worktree.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleAction } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const isReal = process.argv.includes('--yes');

function git(args, env = {}) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', env: { ...process.env, ...env } }).trim();
}

function fail(problem, remedy) {
  process.stderr.write(`✗ ${problem}\n  ${remedy}\n`);
  process.exit(1);
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tag = `v${version}`;
const major = `v${version.split('.')[0]}`;
const changes = git(['status', '--porcelain']);
if (changes && isReal)
  fail('The worktree has changes that are not committed.', 'Commit them: a release is what is committed.');
if (git(['tag', '--list', tag]))
  fail(`The tag ${tag} is there already.`, 'Raise `version` in package.json first.');

await bundleAction();
const temporary = mkdtempSync(join(tmpdir(), 'autobuild-release-'));
try {
  const index = { GIT_INDEX_FILE: join(temporary, 'index') };
  git(['read-tree', 'HEAD'], index);
  git(['add', '--force', '--', 'dist'], index);
  const tree = git(['write-tree'], index);
  const files = git(['diff-tree', '-r', '--name-status', 'HEAD', tree]);
  process.stdout.write(`Beside ${git(['rev-parse', '--short', 'HEAD'])}:\n${files}\n`);
  if (!isReal) {
    process.stdout.write(
      `Would be tagged ${tag} and ${major}. Nothing was made; do it with: node scripts/release.mjs --yes\n`,
    );
  } else {
    const commit = git(['commit-tree', tree, '-p', 'HEAD', '-m', `release: ${tag}`]);
    git(['tag', '--annotate', tag, commit, '--message', tag]);
    git(['tag', '--force', major, commit]);
    process.stdout.write(
      `Made ${commit}. To publish it:\n  git push origin ${tag} && git push --force origin ${major}\n`,
    );
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
