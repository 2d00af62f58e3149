// Makes a release: the action's commit (main's tree plus dist/, beside main), a second one after it whose reusable workflow refers to the
// first, with the tags vX.Y.Z and vX, the npm package, the container image, and the notes.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleAction } from './bundle.mjs';
import { readArguments } from './read-arguments.mjs';
import { findNotes } from './release-notes.mjs';
import { packRelease } from './stage-package.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const WORKFLOW = '.github/workflows/run.yml';
const USAGE = `Usage: node scripts/release.mjs [--dry-run | --yes | --publish]

Makes a release: the action's commit and its tags, the npm package, the container image, the notes.
  --dry-run   shows all of it, and leaves nothing but dist/; this is also what happens without an option
  --yes       makes commit and tags here, and the package and its notes in release/; pushes nothing
  --publish   does that, and pushes and publishes: for .github/workflows/release.yml
  --help      this text
`;
const { values: chosen } = readArguments(USAGE, {
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean' },
  publish: { type: 'boolean' },
});
if (chosen['dry-run'] && (chosen.yes || chosen.publish)) {
  process.stderr.write(`✗ --dry-run makes nothing, so it stands alone\n${USAGE}`);
  process.exit(64);
}
const publishes = chosen.publish ?? false;
const isReal = publishes || (chosen.yes ?? false);

function git(args, env = {}) {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

function fail(problem, remedy) {
  process.stderr.write(`✗ ${problem}\n  ${remedy}\n`);
  process.exit(1);
}

/** A rehearsal goes on, so that everything that is missing is seen at once. */
function demand(isMet, problem, remedy) {
  if (isMet) return;
  if (isReal) fail(problem, remedy);
  process.stdout.write(`✗ ${problem}\n  ${remedy}\n`);
}

/** In a workflow its own repository; elsewhere where `origin` is. */
function findRepository() {
  if (process.env.GITHUB_REPOSITORY) return process.env.GITHUB_REPOSITORY;
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { cwd: root, encoding: 'utf8' });
  return /[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\s*$/.exec(stdout)?.[1];
}

/** The tree of HEAD with dist/. The index and the worktree stay as they are. */
function writeTree(temporary) {
  const index = { GIT_INDEX_FILE: join(temporary, 'index') };
  git(['read-tree', 'HEAD'], index);
  git(['add', '--force', '--', 'dist'], index);
  return git(['write-tree'], index);
}

/** The same tree with the reusable workflow for users, which runs the action of this commit and no other. */
function pinWorkflow(temporary, action) {
  const index = { GIT_INDEX_FILE: join(temporary, 'index') };
  const file = join(temporary, 'run.yml');
  const text = git(['show', `HEAD:${WORKFLOW}`]);
  writeFileSync(file, `${text.replaceAll(/(?<=uses: )autobuild\/autobuild@\S+/g, () => action)}\n`);
  const blob = git(['hash-object', '-w', '--no-filters', '--', file]);
  git(['update-index', '--cacheinfo', `100644,${blob},${WORKFLOW}`], index);
  return git(['write-tree'], index);
}

/** The same HEAD gives the same commit, so that a release that was interrupted can be published again. */
function commitTree(tree, parent, message) {
  return git(['commit-tree', tree, '-p', parent, '-m', message], identity);
}

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tag = `v${version}`;
const major = `v${version.split('.')[0]}`;
const date = git(['show', '--no-patch', '--format=%cI', 'HEAD']);
const identity = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Autobuild release'],
    [`GIT_${who}_EMAIL`, 'noreply@github.com'],
    [`GIT_${who}_DATE`, date],
  ]),
);

demand(
  git(['status', '--porcelain']) === '',
  'The worktree has changes that are not committed.',
  'Commit them: a release is what is committed.',
);
const isTagged = git(['tag', '--list', tag]) !== '';
if (isTagged && git(['rev-parse', `${tag}^{commit}^^`]) !== git(['rev-parse', 'HEAD']))
  fail(`The tag ${tag} is there already.`, 'Raise `version` in package.json first.');
const repository = findRepository();
demand(
  repository !== undefined,
  'It is not known which repository this is.',
  'Add it as a remote: git remote add origin https://github.com/OWNER/REPO.git',
);
const changelog = existsSync(join(root, 'CHANGELOG.md'))
  ? readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  : '';
const found = findNotes(changelog, version);
const notes = found ?? findNotes(changelog, 'Unreleased');
const noNotes = [
  `CHANGELOG.md has nothing about ${version}.`,
  `Rename its section Unreleased to ${version} before it is published.`,
];
if (publishes) demand(found !== undefined, ...noNotes);

const temporary = mkdtempSync(join(tmpdir(), 'autobuild-release-'));
try {
  await bundleAction();
  const owner = repository ?? 'OWNER/REPO';
  const bundled = commitTree(writeTree(temporary), 'HEAD', `build: ${tag}`);
  const tree = pinWorkflow(temporary, `${owner}@${bundled}`);
  const commit = commitTree(tree, bundled, `release: ${tag}`);
  const action = `${owner}@${commit}`;
  const directory = isReal ? join(root, 'release') : temporary;
  rmSync(join(root, 'release'), { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { filename, size, entryCount } = await packRelease({ directory, repository: owner, action });
  writeFileSync(join(directory, 'notes.md'), notes ?? '');

  const image = `ghcr.io/${owner.toLowerCase()}`;
  const tarball = `release/${filename}`;
  const steps = [
    { command: ['git', 'push', 'origin', `refs/tags/${tag}`] },
    { command: ['git', 'push', '--force', 'origin', `refs/tags/${major}`] },
    {
      command: ['npm', 'publish', tarball, '--provenance', '--access', 'public'],
      done: ['npm', 'view', `${name}@${version}`, 'version'],
    },
    { command: ['docker', 'build', '--tag', `${image}:${version}`, '--tag', `${image}:latest`, '.'] },
    { command: ['docker', 'push', '--all-tags', image] },
    {
      command: [
        'gh',
        'release',
        'create',
        tag,
        '--verify-tag',
        '--title',
        tag,
        '--notes-file',
        'release/notes.md',
        tarball,
      ],
      done: ['gh', 'release', 'view', tag],
    },
  ];
  process.stdout.write(`Release ${tag} of ${owner}, from ${git(['rev-parse', '--short', 'HEAD'])}

Tests, before anything else:
  bash .ci/run

The action's commit ${commit}, tagged ${tag} and ${major}:
${git(['diff-tree', '-r', '--name-status', 'HEAD', tree])}

The package ${name}@${version}: ${filename}, ${entryCount} files, ${Math.round(size / 1000)} kB
  Its init uses ${action}

The notes:
${(notes ?? '(none)\n').replaceAll(/^(?=.)/gm, '  ')}
${isReal && !publishes ? '' : describePublishing(steps)}`);
  if (!isReal) process.stdout.write('Nothing was made; do it with: node scripts/release.mjs --yes\n');
  else {
    if (!isTagged) git(['tag', '--annotate', tag, commit, '--message', tag], identity);
    git(['tag', '--force', major, commit]);
    process.stdout.write(
      publishes
        ? ''
        : `Made ${commit}, its tags and release/.
A copy of your own needs no more than the commit, and a program that knows it:
  ${steps[0].command.join(' ')}
  npm install --global ${tarball}
Then, in a repository that is to use it:
  autobuild init --action ${action}
Nothing else is to be pushed. For everybody, the workflow release publishes it: CONTRIBUTING.md
`,
    );
  }
  if (publishes) for (const step of steps) publish(step);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

/** The whole of it, which a copy of one's own does not need. */
function describePublishing(steps) {
  const lines = steps.map(({ command }) => `  ${command.join(' ')}`);
  const missing = found === undefined ? [`! ${noNotes.join(' ')}`] : [];
  return `${['Published for everybody, by the workflow release alone:', ...lines, ...missing].join('\n')}\n\n`;
}

/** A release that was interrupted is continued: what is there already is left alone. */
function publish({ command, done }) {
  const line = command.join(' ');
  if (done && spawnSync(done[0], done.slice(1), { cwd: root, stdio: 'pipe' }).status === 0) {
    process.stdout.write(`✓ there already: ${line}\n`);
    return;
  }
  const { status } = spawnSync(command[0], command.slice(1), { cwd: root, stdio: ['ignore', 1, 2] });
  if (status !== 0) fail(`This failed: ${line}`, 'Nothing after it was done. Fix it, then start again.');
  process.stdout.write(`✓ ${line}\n`);
}
