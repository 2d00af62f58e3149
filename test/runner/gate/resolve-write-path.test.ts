import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveWritePath } from '../../../src/runner/gate/resolve-write-path.ts';
import { makeWorktree } from '../temporary-worktree.ts';

function prepare() {
  const { top, worktree } = makeWorktree({ 'src/a.ts': 'a\n', 'docs/b.md': 'b\n' });
  const link = (target: string, path: string) => symlinkSync(target, join(worktree, path));
  return { top, worktree, link, place: (path: string) => resolveWritePath(worktree, path) };
}

test('a path has one spelling, absolute or not, there or not', async () => {
  const { worktree, place } = prepare();
  for (const given of ['src/new/x.ts', './src//new/x.ts', `${worktree}/src/new/x.ts`])
    expect(await place(given)).toEqual({ ok: true, path: 'src/new/x.ts', named: 'src/new/x.ts' });
});

test.each(['.autobuild/task/../../../outside.txt', 'src/../docs/b.md', '/etc/passwd', '.git/hooks/x'])(
  'E-6: %j is refused',
  async (given) => {
    expect(await prepare().place(given)).toMatchObject({ ok: false, problem: expect.any(String) });
  },
);

test('E-6: a path through a link is where the link leads', async () => {
  const { worktree, link, place } = prepare();
  link('../docs', 'src/link');
  link(`${worktree}/docs`, 'src/absolute');
  link('link/b.md', 'src/file');
  link('../docs/missing.md', 'src/dangling');
  expect(await place('src/link/x.md')).toEqual({ ok: true, path: 'docs/x.md', named: 'src/link/x.md' });
  expect(await place('src/absolute/x.md')).toMatchObject({ path: 'docs/x.md' });
  expect(await place('src/file')).toMatchObject({ path: 'docs/b.md' });
  expect(await place('src/dangling')).toMatchObject({ path: 'docs/missing.md' });
});

test('E-6: a link out of the worktree, into git, or in a circle is refused', async () => {
  const { top, link, place } = prepare();
  mkdirSync(join(top, 'worktree-beside'));
  link('../..', 'src/up');
  link('../../not-there-yet.txt', 'src/dangling');
  link(join(top, 'worktree-beside'), 'src/beside');
  link('../.git', 'src/git');
  link('circle', 'src/circle');
  for (const given of ['src/up/outside.txt', 'src/dangling', 'src/beside/x.txt'])
    expect(await place(given)).toEqual({
      ok: false,
      problem: 'the path leads out of the worktree through a link',
    });
  expect(await place('src/git/hooks/pre-commit')).toMatchObject({
    problem: expect.stringContaining('.git'),
  });
  expect(await place('src/circle/x')).toMatchObject({ problem: expect.stringContaining('40 links') });
});
