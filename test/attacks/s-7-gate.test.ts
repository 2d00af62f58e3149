import { chmodSync, existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { ProposedWrite } from '../../src/core/contracts/guard.ts';
import { createWriteGuard, type WriteLimits } from '../../src/runner/gate/write-guard.ts';
import { makeWorktree } from '../runner/temporary-worktree.ts';

/** A task whose scope is `src/`, watched and gated. */
async function prepare(more: Partial<WriteLimits> = {}) {
  const tree = makeWorktree({ 'docs/a.md': 'one\ntwo\n' });
  const proposed: ProposedWrite[] = [];
  const limits: WriteLimits = {
    maxFiles: 20,
    approvedPaths: [],
    approvedFiles: [],
    scope: ['src/**'],
    readOnly: false,
    ...more,
  };
  const guard = createWriteGuard({
    workspace: await tree.open(),
    asideDir: tree.aside,
    stateDir: '.autobuild/task',
    aside: [],
    workedMs: () => performance.now(),
    countChanged: async (paths) => paths,
    limits: () => limits,
    onProposed: (write) => proposed.push(write),
    onFilesChanged: () => undefined,
    onAside: () => undefined,
    onGone: () => undefined,
    onProblem: (error) => {
      throw error;
    },
  });
  onTestFinished(() => guard.stop());
  await guard.begin();
  /** A bare `/approve`: what was asked about since the last one, with its content. */
  const approve = async () => {
    const files = proposed.splice(0).map(({ path, digest = '' }) => ({ path, digest }));
    limits.approvedFiles = [...(limits.approvedFiles ?? []), ...files];
    await guard.settle('Approved by rosa: the change you proposed.', { approved: true });
  };
  return { tree, guard, proposed, limits, approve };
}

test('S-7: at the gate, an approved edit goes through, and another one of the same file asks again', async () => {
  const { tree, guard, proposed, approve } = await prepare();
  const shown = { path: 'docs/a.md', edit: { replace: [{ old: 'two', new: '2' }] } };
  const held = guard.decideAsk(shown);
  await expect.poll(() => proposed).toMatchObject([{ held: true, diff: '@@ -1 +1 @@\n one\n-two\n+2' }]);
  await approve();
  expect(await held).toMatchObject({ decision: 'allow' });
  tree.write('docs/a.md', 'one\n2\n');
  await guard.check();
  expect(proposed).toEqual([]);
  const other = guard.decideAsk({ path: 'docs/a.md', edit: { content: 'evil\n' } });
  await expect
    .poll(() => proposed)
    .toMatchObject([{ path: 'docs/a.md', diff: expect.stringContaining('+evil') }]);
  await guard.settle('no', { approved: false });
  expect(await other).toEqual({ decision: 'deny', reason: 'no' });
});

test('S-7: whoever shows one text and writes another is asked about the other, and the first one stays', async () => {
  const { tree, guard, proposed, approve } = await prepare();
  const held = guard.decideAsk({ path: 'docs/a.md', edit: { content: 'shown\n' } });
  await expect.poll(() => proposed).toHaveLength(1);
  await approve();
  expect(await held).toMatchObject({ decision: 'allow' });
  tree.write('docs/a.md', 'shown\n');
  await guard.check();
  tree.write('docs/a.md', 'evil\n');
  await guard.check();
  expect(proposed).toMatchObject([
    { path: 'docs/a.md', held: false, diff: expect.stringContaining('+evil') },
  ]);
  expect(tree.read('docs/a.md')).toBe('shown\n');
});

test('S-7: at the watch, an approval restores what was put back, and later content is put back again', async () => {
  const { tree, guard, proposed, approve } = await prepare();
  tree.write('docs/new.md', 'shown\n');
  await guard.check();
  expect(existsSync(tree.at('docs/new.md'))).toBe(false);
  await approve();
  expect(tree.read('docs/new.md')).toBe('shown\n');
  await guard.check();
  expect(proposed).toEqual([]);
  chmodSync(tree.at('docs/new.md'), 0o755);
  await guard.check();
  expect(proposed).toMatchObject([{ path: 'docs/new.md', why: 'out_of_scope' }]);
});

test('S-7: an edit of several files asks about all of them at once, with every reason', async () => {
  const { guard, proposed, limits, approve } = await prepare();
  const patch = [
    '*** Begin Patch',
    '*** Add File: src/ok.ts',
    '+ok',
    '*** Update File: docs/a.md',
    '@@',
    ' one',
    '-two',
    '+2',
    '*** Add File: .github/workflows/ci.yml',
    '+on: push',
    '*** End Patch',
  ].join('\n');
  const paths = ['src/ok.ts', 'docs/a.md', '.github/workflows/ci.yml'];
  const held = guard.decideAsk({ paths, edit: { patch } });
  await expect
    .poll(() => proposed)
    .toMatchObject([
      { path: 'docs/a.md', reasons: ['out_of_scope'], diff: expect.stringContaining('-two\n+2') },
      {
        path: '.github/workflows/ci.yml',
        reasons: ['out_of_scope', 'workflow'],
        diff: '@@ -1 +1 @@\n+on: push',
      },
    ]);
  // An approval that covers one of them asks about the other, and is no refusal.
  limits.approvedPaths = ['docs/**'];
  proposed.splice(0);
  await guard.settle('Approved by rosa: files matching docs/**.', { approved: true });
  expect(proposed).toMatchObject([{ path: '.github/workflows/ci.yml' }]);
  await approve();
  expect(await held).toMatchObject({ decision: 'allow' });
});
