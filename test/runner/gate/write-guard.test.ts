import { existsSync, symlinkSync, unlinkSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ProposedWrite } from '../../../src/core/contracts/guard.ts';
import type { SetAside } from '../../../src/core/work/change.ts';
import { createWriteGuard, type WriteLimits } from '../../../src/runner/gate/write-guard.ts';
import type { Job } from '../../../src/runner/job/job.ts';
import { writeLimitsOf } from '../../../src/runner/job/turn/turn-limits.ts';
import { startRun } from '../../core/run-builder.ts';
import { makeWorktree } from '../temporary-worktree.ts';

async function prepare(
  aside: SetAside[] = [],
  limits: Partial<WriteLimits> = {},
  earlier: Record<string, string> = {},
  ownConfig?: string,
) {
  const tree = makeWorktree({ 'a.txt': 'a\n', 'docs/b.md': 'b\n' });
  const workspace = await tree.open();
  for (const [path, text] of Object.entries(earlier)) tree.write(path, text);
  const clock = { ms: 0, runs: true };
  const proposed: ProposedWrite[] = [];
  const state = { aside, files: [] as string[], counted: [] as string[][] };
  const guard = createWriteGuard({
    workspace,
    asideDir: tree.aside,
    stateDir: '.autobuild/task',
    aside,
    workedMs: () => (clock.runs ? performance.now() : clock.ms),
    countChanged: async (paths) => paths,
    ownRewrite:
      ownConfig === undefined
        ? undefined
        : { files: [ownConfig], isOwn: (_, added) => added.includes('$schema') },
    limits: () => ({ maxFiles: 20, approvedPaths: [], scope: undefined, readOnly: false, ...limits }),
    onProposed(write, files) {
      proposed.push(write);
      state.files = files;
    },
    onFilesChanged: (paths) => void state.counted.push(paths),
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
  return { tree, guard, proposed, state, clock, workspace };
}

test('E-6: what a CLI does to its own configuration before its first tool call is reverted, and counts as nothing', async () => {
  const { tree, guard, proposed, state } = await prepare([], { scope: ['src/**'] }, {}, 'tool.json');
  tree.write('tool.json', '{"$schema": "added"}\n');
  await guard.check();
  await guard.endStartup();
  await guard.check();
  expect(proposed).toEqual([]);
  expect(state.counted).toEqual([]);
  expect(existsSync(tree.at('tool.json'))).toBe(false);
  // From then on it is the agent's doing, as it is when the change is another one.
  tree.write('tool.json', '{"hooks": "off"}\n');
  await guard.endStartup();
  await guard.check();
  expect(proposed).toMatchObject([{ path: 'tool.json', held: false }]);
});

test('E-6: the same when the CLI is slower than the look after its first tool call, and at the very end', async () => {
  const { tree, guard, proposed, state } = await prepare([], { scope: ['src/**'] }, {}, 'tool.json');
  await guard.endStartup();
  tree.write('tool.json', '{"$schema": "added"}\n');
  await guard.check();
  expect(existsSync(tree.at('tool.json'))).toBe(false);
  tree.write('tool.json', '{"$schema": "added"}\n');
  await guard.undoOwnRewrite();
  expect(existsSync(tree.at('tool.json'))).toBe(false);
  await guard.check();
  expect(proposed).toEqual([]);
  expect(state.counted).toEqual([]);
});

test('E-6: a CLI that rewrites its settings again while they are being reverted is not blamed either', async () => {
  const { tree, guard, proposed, state, workspace } = await prepare(
    [],
    { scope: ['src/**'] },
    {},
    'tool.json',
  );
  const revert = workspace.revert.bind(workspace);
  vi.spyOn(workspace, 'revert').mockImplementationOnce(async (...given) => {
    const items = await revert(...given);
    tree.write('tool.json', '{"$schema": "added"}\n');
    return items;
  });
  await guard.endStartup();
  tree.write('tool.json', '{"$schema": "added"}\n');
  await guard.check();
  await guard.check();
  expect(proposed).toEqual([]);
  expect(state.counted).toEqual([]);
  expect(existsSync(tree.at('tool.json'))).toBe(false);
});

test('E-6: what the run made of the settings before is judged by that, not by what the CLI adds to it', async () => {
  const earlier = { 'tool.json': '{"of": "an earlier turn"}\n' };
  const { tree, guard, proposed } = await prepare(
    [],
    { scope: ['src/**'], approvedNames: ['tool.json'] },
    earlier,
    'tool.json',
  );
  tree.write('tool.json', '{"$schema": "added", "of": "an earlier turn"}\n');
  await guard.check();
  expect(tree.read('tool.json')).toBe(earlier['tool.json']);
  expect(proposed).toEqual([]);
});

test("E-6: the same change is the agent's work if it asked for it", async () => {
  const { tree, guard } = await prepare([], {}, {}, 'tool.json');
  expect(await guard.decideAsk({ path: tree.at('tool.json') })).toMatchObject({ decision: 'allow' });
  tree.write('tool.json', '{"$schema": "added"}\n');
  await guard.check();
  await guard.undoOwnRewrite();
  expect(existsSync(tree.at('tool.json'))).toBe(true);
});

test("E-6: another change of the CLI's settings counts, however early it was made", async () => {
  const { tree, guard, proposed } = await prepare([], { scope: ['src/**'] }, {}, 'tool.json');
  tree.write('tool.json', '{"hooks": "off"}\n');
  await guard.endStartup();
  await guard.check();
  expect(proposed).toMatchObject([{ path: 'tool.json', held: false }]);
});

test('E-6: before its first tool call, too, everything else counts', async () => {
  const { tree, guard, proposed } = await prepare([], { scope: ['src/**'] }, {}, 'tool.json');
  tree.write('other.json', '{}\n');
  await guard.check();
  expect(proposed).toMatchObject([{ path: 'other.json', held: false }]);
});

test('E-5: an edit the gate never saw is put back, set aside, and told as such', async () => {
  const { tree, guard, proposed, state } = await prepare();
  tree.write('a.txt', 'changed\n');
  tree.write('b.txt', 'b\n');
  await guard.revertUnasked([tree.at('a.txt'), 'b.txt']);
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
  await guard.revertUnasked([
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
  await guard.revertUnasked(['b.txt']);
  await guard.settle('a person said something else', { approved: false });
  expect(existsSync(tree.at('b.txt'))).toBe(false);
  await guard.settle('approved', { approved: true });
  expect(tree.read('b.txt')).toBe('b\n');
  expect(state.aside).toEqual([]);
});

test('E-10: the same holds for a successor, which has it from the checkpoint', async () => {
  const { tree, guard, state } = await prepare();
  tree.write('b.txt', 'b\n');
  await guard.revertUnasked(['b.txt']);
  const successor = await prepare(state.aside);
  await successor.guard.settle('the turn was restarted', { approved: false });
  expect(successor.state.aside).toMatchObject([{ path: 'b.txt', gate_bypassed: true }]);
});

test('an edit asked for later is not overwritten by the one that went past the gate', async () => {
  const { tree, guard, state } = await prepare();
  tree.write('b.txt', 'past the gate\n');
  await guard.revertUnasked(['b.txt']);
  expect(await guard.decideAsk({ path: 'b.txt' })).toMatchObject({ decision: 'allow' });
  tree.write('b.txt', 'asked for\n');
  await guard.settle('approved', { approved: true });
  expect(tree.read('b.txt')).toBe('asked for\n');
  expect(state.aside).toEqual([]);
});

test('E-6: what begins with the state directory and leads elsewhere is refused, with the reason', async () => {
  const { tree, guard, proposed } = await prepare();
  tree.write('.autobuild/task/report.json', '{}');
  symlinkSync('../..', tree.at('.autobuild/task/up'));
  symlinkSync('../../..', tree.at('.autobuild/task/out'));
  const ask = (path: string) => guard.decideAsk({ path });
  expect(await ask('.autobuild/task/report.json')).toMatchObject({ decision: 'allow' });
  expect(await ask('.autobuild/task/../../../outside.txt')).toEqual({
    decision: 'deny',
    reason:
      '".autobuild/task/../../../outside.txt" may not be written: the path contains `..`. Name a file of the worktree by its own path.',
  });
  expect(await ask(tree.at('.autobuild/task/out/outside.txt'))).toMatchObject({
    decision: 'deny',
    reason: expect.stringContaining('out of the worktree through a link'),
  });
  expect(await ask('.autobuild/task/up/.git/config')).toMatchObject({ decision: 'deny' });
  expect(proposed).toEqual([]);
});

test('E-6: an edit through a link is judged by the file it would change', async () => {
  const { tree, guard, proposed } = await prepare([], { scope: ['src/**'] });
  tree.write('src/a.ts', 'a\n');
  symlinkSync('../docs', tree.at('src/link'));
  symlinkSync('a.ts', tree.at('src/alias.ts'));
  await guard.begin();
  expect(await guard.decideAsk({ path: 'src/alias.ts' })).toMatchObject({ decision: 'allow' });
  const held = guard.decideAsk({ path: 'src/link/b.md' });
  await expect.poll(() => proposed).toMatchObject([{ path: 'docs/b.md', why: 'out_of_scope', held: true }]);
  await guard.settle('not that one', { approved: false });
  expect(await held).toEqual({ decision: 'deny', reason: 'not that one' });
});

test('an edit asked for by the name of a link went through the gate, written through it or in its place', async () => {
  const { tree, guard, proposed } = await prepare();
  symlinkSync('a.txt', tree.at('alias.txt'));
  await guard.begin();
  expect(await guard.decideAsk({ path: 'alias.txt' })).toMatchObject({ decision: 'allow' });
  tree.write('alias.txt', 'through\n');
  await guard.revertUnasked(['alias.txt']);
  tree.remove('alias.txt');
  tree.write('alias.txt', 'in its place\n');
  await guard.revertUnasked(['alias.txt']);
  expect([tree.read('a.txt'), tree.read('alias.txt')]).toEqual(['through\n', 'in its place\n']);
  expect(proposed).toEqual([]);
});

test('E-5: an edit that was allowed and never made does not count', async () => {
  const { guard, proposed } = await prepare([], { maxFiles: 3 });
  const paths = ['1', '2', '3'];
  for (const path of paths) expect(await guard.decideAsk({ path })).toMatchObject({ decision: 'allow' });
  expect(await guard.decideAsk({ path: '4' })).toMatchObject({ decision: 'allow' });
  expect(proposed).toEqual([]);
});

test('E-5: asks at the same moment do not take the same free place, and those that are written count', async () => {
  const { tree, guard, proposed } = await prepare([], { maxFiles: 2 });
  let waiting = ['1', '2', '3'].map((path) => ({ path, answer: guard.decideAsk({ path }) }));
  for (let places = 2; places > 0; places -= 1) {
    // Which of them is first depends on the machine.
    const first = await Promise.race(waiting.map(async (ask) => ({ ...ask, given: await ask.answer })));
    expect(first.given).toMatchObject({ decision: 'allow' });
    tree.write(first.path, first.path);
    waiting = waiting.filter(({ path }) => path !== first.path);
  }
  const [last] = waiting;
  await expect.poll(() => proposed).toMatchObject([{ path: last?.path, why: 'file_limit', held: true }]);
  await guard.settle('enough', { approved: false });
  expect(await last?.answer).toMatchObject({ decision: 'deny' });
});

test('E-5: what it writes into the state directory is no file of the work', async () => {
  const { guard, tree, proposed, state } = await prepare([], { maxFiles: 1 });
  expect(await guard.decideAsk({ path: '.autobuild/task/report.json' })).toMatchObject({ decision: 'allow' });
  tree.write('a.txt', 'changed\n');
  await guard.check();
  const held = guard.decideAsk({ path: 'b.txt' });
  await expect.poll(() => proposed).toMatchObject([{ path: 'b.txt', why: 'file_limit' }]);
  expect(state.files).toEqual(['a.txt']);
  await guard.settle('enough', { approved: false });
  await held;
});

describe('what an earlier turn made of a file stays', () => {
  const EARLIER = { 'a.txt': 'turn one\n', 'new.txt': 'made in turn one\n' };

  test('E-5: when an edit past the gate goes, and when an approval brings that edit back', async () => {
    const { tree, guard, proposed, state } = await prepare([], {}, EARLIER);
    tree.write('a.txt', 'turn one\npast the gate\n');
    tree.write('new.txt', 'past the gate\n');
    await guard.revertUnasked(['a.txt', 'new.txt']);
    expect(tree.read('a.txt')).toBe('turn one\n');
    expect(tree.read('new.txt')).toBe('made in turn one\n');
    expect(proposed[0]?.diff).toContain('+past the gate');
    expect(proposed[0]?.diff).not.toContain('+turn one');
    await guard.settle('no', { approved: false });
    expect(tree.read('a.txt')).toBe('turn one\n');
    await guard.settle('approved', { approved: true });
    expect(tree.read('a.txt')).toBe('turn one\npast the gate\n');
    expect(tree.read('new.txt')).toBe('past the gate\n');
    expect(state.aside).toEqual([]);
    // What was approved is not lost to the next one either.
    tree.write('a.txt', 'past the gate again\n');
    await guard.revertUnasked(['a.txt']);
    expect(tree.read('a.txt')).toBe('turn one\npast the gate\n');
  });

  test('E-5: when the agent only says that it edited', async () => {
    const { tree, guard, proposed } = await prepare([], {}, EARLIER);
    await guard.revertUnasked(['a.txt', 'new.txt']);
    expect(tree.read('a.txt')).toBe('turn one\n');
    expect(tree.read('new.txt')).toBe('made in turn one\n');
    expect(proposed).toEqual([]);
  });

  test('E-10: what was written again since is not overwritten by an approval', async () => {
    const { tree, guard } = await prepare([], {}, EARLIER);
    tree.write('a.txt', 'past the gate\n');
    await guard.revertUnasked(['a.txt']);
    tree.write('a.txt', 'written again\n');
    await guard.settle('approved', { approved: true });
    expect(tree.read('a.txt')).toBe('written again\n');
  });

  test.each([{ approvedPaths: ['a.txt'] }, { approvedNames: ['a.txt'] }])(
    'E-5: a file approved beyond the limit takes no place from the files within it: %j',
    async (approved) => {
      const earlier = { 'a.txt': 'approved\n', 'b.txt': 'b\n', 'c.txt': 'c\n' };
      const { tree, guard, proposed } = await prepare([], { maxFiles: 2, ...approved }, earlier);
      await guard.check();
      expect(proposed).toEqual([]);
      tree.write('0.txt', 'one too many\n');
      await guard.check();
      expect(proposed).toMatchObject([{ path: '0.txt', why: 'file_limit' }]);
      expect(tree.read('c.txt')).toBe('c\n');
    },
  );

  test('E-5: a file approved by its name is no pattern, neither at the gate nor in the worktree', async () => {
    const job = { brief: { task: { scope: ['docs/**'] } } } as Job;
    const { work } = startRun({ task: { scope: ['docs/**'] } });
    const limits = writeLimitsOf(job, { ...work, approved_names: ['**', '[b]'] });
    const { tree, guard, proposed } = await prepare([], limits);
    tree.write('**', 'approved\n');
    tree.write('b', 'never approved\n');
    await guard.check();
    expect(['**', 'b'].map((path) => existsSync(tree.at(path)))).toEqual([true, false]);
    expect(await guard.decideAsk({ path: '[b]' })).toMatchObject({ decision: 'allow' });
    const held = guard.decideAsk({ path: 'c' });
    await expect.poll(() => proposed).toMatchObject([{ path: 'b' }, { path: 'c', held: true }]);
    await guard.settle('no', { approved: false });
    expect(await held).toMatchObject({ decision: 'deny' });
  });

  test('E-6: when a later change of it may not be, only that one goes', async () => {
    const limits: Partial<WriteLimits> = { maxFiles: 1 };
    const { tree, guard, proposed } = await prepare([], limits, { 'b.txt': 'turn one\n' });
    await guard.check();
    unlinkSync(tree.at('b.txt'));
    tree.write('a.txt', 'changed\n');
    await guard.check();
    tree.write('b.txt', 'written anew\n');
    await guard.check();
    expect(proposed).toMatchObject([{ path: 'b.txt', why: 'file_limit' }]);
    expect(tree.read('b.txt')).toBe('turn one\n');
  });

  test('E-6: written when nobody looked any more, it never was allowed', async () => {
    const { tree, guard, proposed } = await prepare([], { scope: ['src/**'] }, { 'late.txt': 'late\n' });
    await guard.check();
    expect(proposed).toMatchObject([{ path: 'late.txt', why: 'out_of_scope' }]);
    expect(existsSync(tree.at('late.txt'))).toBe(false);
  });
});

test('E-5: an edit that was allowed keeps its place while the agent is frozen', async () => {
  const { tree, guard, proposed, clock } = await prepare([], { maxFiles: 2 });
  tree.write('one.txt', 'x');
  await guard.check();
  clock.ms = performance.now();
  clock.runs = false;
  expect(await guard.decideAsk({ path: 'A.txt' })).toMatchObject({ decision: 'allow' });
  const asked = guard.decideAsk({ path: 'B.txt' });
  await expect.poll(() => proposed).toMatchObject([{ path: 'B.txt', held: true }]);
  tree.write('A.txt', 'late');
  await guard.check();
  expect(proposed).toHaveLength(1);
  expect(tree.read('A.txt')).toBe('late');
  await guard.settle('no', { approved: false });
  expect(await asked).toMatchObject({ decision: 'deny' });
});
