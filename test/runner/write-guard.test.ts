import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { SetAside } from '../../src/core/change.ts';
import type { ProposedWrite } from '../../src/core/guard.ts';
import { createWriteGuard, type WriteLimits } from '../../src/runner/write-guard.ts';
import { makeWorktree } from './temporary-worktree.ts';

async function prepare(aside: SetAside[] = [], limits: Partial<WriteLimits> = {}) {
  const tree = makeWorktree({ 'a.txt': 'a\n' });
  const proposed: ProposedWrite[] = [];
  const state = { aside };
  const guard = createWriteGuard({
    workspace: await tree.open(),
    asideDir: tree.aside,
    stateDir: '.autobuild/task',
    aside,
    countChanged: async (paths) => paths,
    limits: () => ({ maxFiles: 20, approvedPaths: [], scope: undefined, readOnly: false, ...limits }),
    onProposed: (write) => proposed.push(write),
    onFilesChanged: () => undefined,
    onAside: (items) => {
      state.aside = items;
    },
    onGone: () => undefined,
    onProblem: (error) => {
      throw error;
    },
  });
  onTestFinished(() => guard.stop());
  await guard.begin();
  return { tree, guard, proposed, state };
}

test('E-5: an edit the gate never saw is put back, set aside, and told as such', async () => {
  const { tree, guard, proposed, state } = await prepare();
  tree.write('a.txt', 'changed\n');
  tree.write('b.txt', 'b\n');
  await guard.putBackUnasked([tree.at('a.txt'), 'b.txt']);
  expect(tree.read('a.txt')).toBe('a\n');
  expect(existsSync(tree.at('b.txt'))).toBe(false);
  expect(proposed).toMatchObject([
    { path: 'a.txt', why: 'gate_bypassed', held: false, diff: expect.stringContaining('+changed') },
    { path: 'b.txt', why: 'gate_bypassed', held: false },
  ]);
  expect(state.aside).toMatchObject([
    { path: 'a.txt', gate_bypassed: true },
    { path: 'b.txt', gate_bypassed: true },
  ]);
});

test('what was asked for, the state directory, and what did not change are left alone', async () => {
  const { tree, guard, proposed } = await prepare();
  expect(await guard.decideAsk({ path: tree.at('b.txt') })).toMatchObject({ decision: 'allow' });
  tree.write('b.txt', 'b\n');
  tree.write('.autobuild/task/report.json', '{}');
  await guard.putBackUnasked([
    tree.at('b.txt'),
    tree.at('.autobuild/task/report.json'),
    'a.txt',
    'nowhere.txt',
  ]);
  expect(tree.read('b.txt')).toBe('b\n');
  expect(existsSync(tree.at('.autobuild/task/report.json'))).toBe(true);
  expect(proposed).toEqual([]);
});

test('E-10: within the limits or not, what went past the gate comes back by an approval only', async () => {
  const { tree, guard, state } = await prepare();
  tree.write('b.txt', 'b\n');
  await guard.putBackUnasked(['b.txt']);
  await guard.settle('a person said something else', { approved: false });
  expect(existsSync(tree.at('b.txt'))).toBe(false);
  await guard.settle('approved', { approved: true });
  expect(tree.read('b.txt')).toBe('b\n');
  expect(state.aside).toEqual([]);
});

test('E-10: the same holds for a successor, which has it from the checkpoint', async () => {
  const { tree, guard, state } = await prepare();
  tree.write('b.txt', 'b\n');
  await guard.putBackUnasked(['b.txt']);
  const successor = await prepare(state.aside);
  await successor.guard.settle('the turn started anew', { approved: false });
  expect(successor.state.aside).toMatchObject([{ path: 'b.txt', gate_bypassed: true }]);
});

test('an edit asked for later is not overwritten by the one that went past the gate', async () => {
  const { tree, guard, state } = await prepare();
  tree.write('b.txt', 'past the gate\n');
  await guard.putBackUnasked(['b.txt']);
  expect(await guard.decideAsk({ path: 'b.txt' })).toMatchObject({ decision: 'allow' });
  tree.write('b.txt', 'asked for\n');
  await guard.settle('approved', { approved: true });
  expect(tree.read('b.txt')).toBe('asked for\n');
  expect(state.aside).toEqual([]);
});
