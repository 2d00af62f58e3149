import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../../src/runner/workspace/workspace.ts';
import { git, makeTemporaryDirectory, makeWorktree, type TemporaryWorktree } from '../temporary-worktree.ts';

/** A program that leaves a file named after the way it was started, then does what a filter would do. */
function makeCanary(top: string): { program(vector: string): string; sung(): string[] } {
  const nest = join(top, 'canaries');
  mkdirSync(nest);
  return {
    program: (vector) => {
      const file = join(top, `canary-${vector}`);
      writeFileSync(file, `#!/bin/sh\ntouch "${nest}/${vector}"\ncat "$@" 2>/dev/null\nexit 0\n`);
      chmodSync(file, 0o755);
      return file;
    },
    sung: () => {
      const found = readdirSync(nest).sort();
      for (const name of found) rmSync(join(nest, name));
      return found;
    },
  };
}

type Canary = ReturnType<typeof makeCanary>;

const VECTORS: Record<
  string,
  (tree: TemporaryWorktree, canary: Canary, config: (text: string) => void) => void
> = {
  'diff.external': (_tree, canary, config) =>
    config(`[diff]\n\texternal = ${canary.program('diff.external')}\n`),
  textconv: (tree, canary, config) => {
    config(`[diff "evil"]\n\ttextconv = ${canary.program('textconv')}\n`);
    tree.write('.gitattributes', '* diff=evil\n');
  },
  'filter.clean': (tree, canary, config) => {
    config(`[filter "evil"]\n\tclean = ${canary.program('filter.clean')}\n`);
    tree.write('.gitattributes', '* filter=evil\n');
  },
  'filter.smudge': (tree, canary, config) => {
    config(`[filter "evil"]\n\tsmudge = ${canary.program('filter.smudge')}\n\trequired = true\n`);
    tree.write('.gitattributes', '[attr]sneaky filter=evil\n* sneaky\n');
  },
  fsmonitor: (_tree, canary, config) => config(`[core]\n\tfsmonitor = ${canary.program('fsmonitor')}\n`),
  hooks: (tree, canary) => {
    for (const hook of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction']) {
      mkdirSync(tree.at('.git/hooks'), { recursive: true });
      symlinkSync(canary.program('hooks'), tree.at(`.git/hooks/${hook}`));
    }
  },
  'gpg.program': (_tree, canary, config) =>
    config(`[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ${canary.program('gpg.program')}\n`),
  'core.sshCommand': (_tree, canary, config) =>
    config(
      `[core]\n\tsshCommand = ${canary.program('core.sshCommand')}\n[remote "origin"]\n\turl = ssh://localhost/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`,
    ),
  'include.path': (tree, canary, config) => {
    writeFileSync(join(tree.top, 'included'), `[core]\n\tfsmonitor = ${canary.program('include.path')}\n`);
    config(`[include]\n\tpath = ${join(tree.top, 'included')}\n`);
  },
};

/** What a trusting tool would run; a vector that this does not set off proves nothing. */
function runNaively(tree: TemporaryWorktree): void {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: tree.top,
    EMAIL: 'a@example.com',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const commands = ['status', 'diff', 'add -A', 'commit -m x', 'checkout -f HEAD~0 -- .', 'fetch origin'];
  for (const command of commands)
    spawnSync('git', command.split(' '), { cwd: tree.worktree, env, stdio: 'ignore' });
}

describe('nothing planted in the worktree runs', () => {
  test.each(Object.keys(VECTORS))('%s', async (vector) => {
    const control = makeWorktree({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const controlCanary = makeCanary(control.top);
    plant(control, vector, controlCanary);
    runNaively(control);
    expect(controlCanary.sung()).toEqual([vector]);

    const tree = makeWorktree({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const canary = makeCanary(tree.top);
    const workspace = await tree.open();
    plant(tree, vector, canary);
    await exercise(tree, workspace);
    expect(canary.sung()).toEqual([]);
  });

  test('nor when it was planted before the workspace was opened, in a submodule, or in the environment', async () => {
    const tree = makeWorktree({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const canary = makeCanary(tree.top);
    plant(tree, 'filter.clean', canary);
    plant(tree, 'fsmonitor', canary);
    mkdirSync(tree.at('inner'));
    git(tree.at('inner'), 'init', '-q');
    tree.write('inner/x.txt', 'x\n');
    appendFileSync(tree.at('inner/.git/config'), `[core]\n\tfsmonitor = ${canary.program('inner')}\n`);
    process.env.GIT_EXTERNAL_DIFF = canary.program('environment');
    process.env.GIT_TRACE = join(tree.top, 'trace');
    onTestFinished(() => {
      delete process.env.GIT_EXTERNAL_DIFF;
      delete process.env.GIT_TRACE;
    });
    await exercise(tree, await tree.open());
    expect(canary.sung()).toEqual([]);
    expect(existsSync(join(tree.top, 'trace'))).toBe(false);
  });
});

function plant(tree: TemporaryWorktree, vector: string, canary: Canary): void {
  VECTORS[vector]?.(tree, canary, (text) => appendFileSync(tree.at('.git/config'), text));
  tree.write('a.txt', 'changed\n');
  tree.write('new.txt', 'new\n');
}

async function exercise(
  tree: TemporaryWorktree,
  workspace: Awaited<ReturnType<TemporaryWorktree['open']>>,
): Promise<void> {
  tree.write('a.txt', 'changed again\n');
  tree.write('newer.txt', 'new\n');
  const before = await workspace.snapshot();
  expect(await workspace.changedPaths()).toContain('newer.txt');
  expect((await workspace.changes()).map((change) => change.path)).toContain('a.txt');
  expect((await workspace.diff()).text).toContain('+changed again');
  const items = await workspace.revert(['a.txt', 'newer.txt'], tree.aside);
  await workspace.restoreAside(items);
  expect(tree.read('a.txt')).toBe('changed again\n');
  await workspace.restoreTree(workspace.base());
  await workspace.absorb(before, await workspace.snapshot());
  await workspace.restoreTree(before);
  expect(tree.read('a.txt')).toBe('changed again\n');
}

test('attributes neither alter content on its way in and out nor hide lines', async () => {
  const content = 'one\r\n$Id$\nünï\n';
  const tree = makeWorktree({ 'a.txt': content });
  tree.write('.gitattributes', '* text eol=crlf ident working-tree-encoding=UTF-16 binary\n');
  const workspace = await tree.open();
  tree.write('a.txt', `${content}more\r\n`);
  const [change] = await workspace.changes();
  expect(change).toMatchObject({ path: 'a.txt', added: 1, removed: 0, binary: false });
  await workspace.revert(['a.txt'], tree.aside);
  expect(tree.read('a.txt')).toBe(content);
});

test('the state directory cannot be made part of the work', async () => {
  const tree = makeWorktree({ 'a.txt': 'one\n' });
  const workspace = await tree.open();
  tree.write('.gitignore', '!.autobuild\n!.autobuild/**\n');
  tree.write('.autobuild/issue-1/report.json', '{}');
  expect(await workspace.changedPaths()).toEqual(['.gitignore']);
  expect((await workspace.changes()).map((change) => change.path)).toEqual(['.gitignore']);
});

test('a file nobody may read is counted, and the others with it', async () => {
  const tree = makeWorktree({ 'a.txt': 'one\n' }, { repository: false });
  chmodSync(tree.top, 0o777);
  chmodSync(tree.worktree, 0o777);
  tree.write('locked.txt', 'secret\n');
  tree.write('b.txt', 'b\n');
  chmodSync(tree.at('locked.txt'), 0);
  const isRoot = process.geteuid?.() === 0;
  // Root may read everything: become someone who may not.
  if (isRoot) {
    for (const path of ['a.txt', 'b.txt']) chownSync(tree.at(path), 65534, 65534);
    process.seteuid?.(65534);
    onTestFinished(() => process.seteuid?.(0));
  }
  const workspace = await tree.open();
  expect(await workspace.changedPaths()).toEqual([]);
  tree.write('b.txt', 'changed\n');
  expect((await workspace.changes()).map((change) => change.path)).toEqual(['b.txt']);
  expect(await workspace.restoreTree(workspace.base())).toEqual([]);
  if (isRoot) process.seteuid?.(0);
  expect(tree.read('b.txt')).toBe('b\n');
  expect(existsSync(tree.at('locked.txt'))).toBe(true);
});

test('a file that git fails on costs no other file', async () => {
  const tree = makeWorktree({ 'a.txt': 'one\n' });
  const bin = makeTemporaryDirectory();
  // Git, but for one name.
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh
case "$*" in
  *update-index*--stdin) cat > "${bin}/input"; grep -q cursed "${bin}/input" && { echo 'fatal: cursed' >&2; exit 128; }
    exec /usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin git "$@" < "${bin}/input" ;;
esac
exec /usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin git "$@"
`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  const workspace = await openWorkspace({
    worktree: tree.worktree,
    gitDir: tree.gitDir,
    stateDir: '.autobuild',
    path: `${bin}:/usr/bin:/bin`,
  });
  for (const name of ['b', 'c', 'cursed', 'd', 'e']) tree.write(`${name}.txt`, 'x\n');
  const changes = await workspace.changes();
  expect(changes.map((change) => [change.path, change.binary])).toEqual([
    ['b.txt', false],
    ['c.txt', false],
    ['cursed.txt', true],
    ['d.txt', false],
    ['e.txt', false],
  ]);
});

test.each(['INT', 'TERM', 'HUP'])(
  'G-12: SIG%s to all processes, git among them, costs nothing',
  async (signal) => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const bin = join(tree.top, 'bin');
    mkdirSync(bin);
    // As many as come when a terminal is closed and its session is ended.
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh
case "$*" in
  *write-tree*) echo x >> "${bin}/tries"; [ "$(wc -l < "${bin}/tries")" -gt 2 ] || { touch "${tree.gitDir}/index.lock"; kill -${signal} $$; sleep 5; } ;;
esac
exec /usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin git "$@"
`,
    );
    chmodSync(join(bin, 'git'), 0o755);
    const workspace = await openWorkspace({
      worktree: tree.worktree,
      gitDir: tree.gitDir,
      stateDir: '.autobuild',
      path: `${bin}:/usr/bin:/bin`,
    });
    tree.write('a.txt', 'b\n');
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(['a.txt']);
  },
);
