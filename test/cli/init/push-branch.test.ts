import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initCommand } from '../../../src/cli/commands/init-command.ts';
import { readOptions } from '../../../src/cli/options.ts';
import { git, makeWorktree } from '../../runner/temporary-worktree.ts';
import { FIXTURE_REPOSITORIES } from './fixture-repositories.ts';

const ACTION = `acme/autobuild@${'c0ffee12'.repeat(5)}`;
const FILES = ['.github/autobuild.schema.json', '.github/autobuild.yml', '.github/workflows/autobuild.yml'];
const PULL = 'https://github.com/olivia/shop/pull/7';
const COMPARE = 'https://github.com/olivia/shop/compare/main...autobuild-init?expand=1';

/** A clone of a repository whose address is one of GitHub, although it is on this disk; and `gh`, if there is one. */
function makeClone({ gh = '', remote = 'https://github.com/olivia/shop.git', isEmpty = false } = {}) {
  const tree = makeWorktree(FIXTURE_REPOSITORIES.npm);
  const bare = join(tree.top, 'bare.git');
  git(tree.top, 'init', '-q', '--bare', '-b', 'main', bare);
  if (!isEmpty) git(tree.worktree, 'push', '-q', bare, 'HEAD:main');
  if (remote) git(tree.worktree, 'remote', 'add', 'origin', remote);
  const settings = [
    `[url "file://${bare}"]\n\tinsteadOf = ${remote}`,
    '[user]\n\tname = A\n\temail = a@example.com',
  ];
  writeFileSync(join(tree.top, '.gitconfig'), `${settings.join('\n')}\n`);
  const programs = join(tree.top, 'programs');
  mkdirSync(programs);
  if (gh) {
    writeFileSync(join(programs, 'gh'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${tree.top}/asked\n${gh}\n`);
    chmodSync(join(programs, 'gh'), 0o755);
  }
  const env = { PATH: `${programs}:/usr/local/bin:/usr/bin:/bin`, HOME: tree.top };
  return {
    tree,
    bare,
    init: (args: string[] = [], more: Record<string, string> = {}) =>
      initCommand(readOptions(['init', '--pull-request', '--action', ACTION, ...args], tree.worktree), {
        env: { ...env, ...more },
      }),
    asked: () => readFileSync(join(tree.top, 'asked'), 'utf8'),
  };
}

test('--pull-request builds on the default branch as it is there, also from a detached head, and changes no file here', async () => {
  const { tree, bare, init, asked } = makeClone({ gh: `echo ${PULL}` });
  const ours = git(tree.worktree, 'rev-parse', 'HEAD').trim();
  // The clone has a commit of its own, and the remote one that the clone lacks.
  const newer = git(bare, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', 'newer').trim();
  git(bare, 'update-ref', 'refs/heads/main', newer);
  git(tree.worktree, 'commit', '-q', '--allow-empty', '-m', 'mine');
  git(tree.worktree, 'checkout', '-q', '--detach', ours);
  const { lines, ok } = await init();
  expect(ok).toBe(true);
  expect(lines).toContain(`✓ The pull request is open: ${PULL}`);
  expect(lines).toContain('✓ .github/autobuild.yml written on a branch.');
  expect(lines).toContain('  merge the pull request');
  expect(lines.join('\n')).not.toContain('git add');
  expect(git(bare, 'rev-parse', 'autobuild-init^').trim()).toBe(newer);
  const changed = git(bare, 'diff', '--name-only', 'main', 'autobuild-init').trim().split('\n');
  expect(changed.sort()).toEqual(FILES);
  expect(git(bare, 'show', 'autobuild-init:.github/autobuild.yml')).toContain('- npm run test\n');
  expect(asked()).toContain('--repo\nolivia/shop\n--head\nautobuild-init\n--base\nmain\n');
  expect(asked()).toContain('`ANTHROPIC_API_KEY`');
  expect(git(tree.worktree, 'status', '--porcelain')).toBe('');
  expect(existsSync(tree.at('.github'))).toBe(false);
});

test('a branch that is there is not overwritten without --force; a pull request that is there is named', async () => {
  const { bare, init } = makeClone({ gh: `echo "a pull request already exists: ${PULL}" >&2; exit 1` });
  const other = git(bare, 'commit-tree', 'main^{tree}', '-m', 'other').trim();
  git(bare, 'update-ref', 'refs/heads/autobuild-init', other);
  await expect(init()).rejects.toMatchObject({
    code: 'branch_not_pushed',
    message: expect.stringContaining(
      'is there already with other commits; delete it, or replace it with --force',
    ),
  });
  expect(git(bare, 'rev-parse', 'autobuild-init').trim()).toBe(other);
  expect((await init(['--force'])).lines).toContain(`✓ The pull request is there already: ${PULL}`);
  expect(git(bare, 'rev-parse', 'autobuild-init^').trim()).toBe(git(bare, 'rev-parse', 'main').trim());
});

test('without gh and without a token it says where to open the pull request; once merged, nothing is left', async () => {
  const { bare, init } = makeClone({ gh: 'echo "run gh auth login" >&2; exit 4' });
  const first = await init();
  expect(first.lines).toContain(`✓ The branch autobuild-init is pushed. Open the pull request: ${COMPARE}`);
  git(bare, 'update-ref', 'refs/heads/main', 'autobuild-init');
  const second = await init();
  expect(second.lines.slice(0, 4)).toEqual([
    '✓ .github/workflows/autobuild.yml is there already.',
    '✓ .github/autobuild.yml is there already.',
    '✓ .github/autobuild.schema.json is there already.',
    '✓ main of olivia/shop has all of it already.',
  ]);
});

test.each([
  ['no remote', { remote: '' }, 'remote_missing'],
  ['a remote that is a directory', { remote: '/srv/git/shop.git' }, 'remote_missing'],
  ['a remote without a commit', { isEmpty: true }, 'branch_not_pushed'],
])('--pull-request with %s is refused before anything is written', async (_, clone, code) => {
  const { tree, init } = makeClone({ ...clone, gh: `echo ${PULL}` });
  await expect(init()).rejects.toMatchObject({ code });
  expect(existsSync(join(tree.top, 'asked'))).toBe(false);
  expect(existsSync(tree.at('.github'))).toBe(false);
});
