import { expect, test } from 'vitest';
import { findRemote, isKnownAsGitHub } from '../../../src/cli/init/remote.ts';
import { git, makeWorktree } from '../../runner/temporary-worktree.ts';

const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent' };

function find(remotes: Record<string, string>) {
  const { worktree } = makeWorktree({ 'README.md': '' });
  for (const [name, url] of Object.entries(remotes)) git(worktree, 'remote', 'add', name, url);
  return findRemote(worktree, env);
}

test.each<[string, string]>([
  ['https://github.com/olivia/shop.git', 'github.com'],
  ['https://x-token@github.com/olivia/shop', 'github.com'],
  ['git@github.com:olivia/shop.git', 'github.com'],
  ['ssh://git@ssh.github.com:443/olivia/shop.git', 'github.com'],
  ['git@acme.ghe.com:olivia/shop.git', 'acme.ghe.com'],
  ['https://git.acme.dev/olivia/shop', 'git.acme.dev'],
])('N-1: %s leads to GitHub', async (url, host) => {
  const { remote, elsewhere } = await find({ origin: url });
  expect(remote).toEqual({ name: 'origin', host, repository: 'olivia/shop' });
  expect(elsewhere).toBeUndefined();
  expect(remote && isKnownAsGitHub(remote)).toBe(host !== 'git.acme.dev');
});

test.each([
  'https://gitlab.com/olivia/shop.git',
  'git@gitlab.acme.dev:olivia/shop.git',
  'git@bitbucket.org:olivia/shop.git',
  'https://codeberg.org/olivia/shop',
])('N-1: %s leads elsewhere', async (url) => {
  const { remote, elsewhere } = await find({ origin: url });
  expect(remote).toBeUndefined();
  expect(elsewhere).toMatchObject({ name: 'origin', repository: 'olivia/shop' });
});

test('N-1: beside a remote elsewhere, the only one on GitHub is taken; of two, none', async () => {
  const origin = 'git@gitlab.com:olivia/shop.git';
  const mirror = 'git@github.com:olivia/shop.git';
  expect(await find({ origin, mirror })).toMatchObject({ remote: { name: 'mirror' } });
  expect(await find({ origin, mirror, fork: 'git@github.com:walter/shop.git' })).toMatchObject({
    elsewhere: { name: 'origin' },
  });
  expect(await find({ a: 'git@github.com:a/shop.git', b: 'git@github.com:b/shop.git' })).toEqual({});
  expect(await find({ a: origin, mirror })).toMatchObject({ remote: { name: 'mirror' } });
  expect(await find({ origin: mirror, upstream: 'git@github.com:acme/shop.git' })).toMatchObject({
    remote: { name: 'origin' },
  });
  expect(await find({})).toEqual({});
});
