import { describe, expect, test } from 'vitest';
import { type Violation, type WatchOptions, watchWorktree } from '../../../src/runner/gate/worktree-watch.ts';
import { judgeWrite } from '../../../src/runner/gate/write-policy.ts';
import { WorktreeGoneError } from '../../../src/runner/workspace/worktree-gone.ts';
import { makeWorktree } from '../temporary-worktree.ts';

const judgeWith =
  (given: { maxFiles?: number; scope?: string[]; approvedPaths?: string[] }): WatchOptions['judge'] =>
  (path, changed) =>
    judgeWrite({
      path,
      changed,
      maxFiles: given.maxFiles ?? 'off',
      approvedPaths: given.approvedPaths ?? [],
      scope: given.scope,
    });

/** A watch whose timer fires when the test says so. */
function watchByHand(options: Partial<WatchOptions> & Pick<WatchOptions, 'workspace'>) {
  const timers: { work: () => void; ms: number }[] = [];
  const violations: Violation[][] = [];
  const watch = watchWorktree({
    judge: () => ({ ok: true }),
    onViolation: (found) => {
      violations.push(found);
    },
    setTimer: (work, ms) => {
      const timer = { work, ms };
      timers.push(timer);
      return () => {
        if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
      };
    },
    ...options,
  });
  return { watch, timers, violations };
}

describe('watching an agent without a gate', () => {
  test('E-6: a file written out of scope is told once, put back, and told again when it comes back', async () => {
    const tree = makeWorktree({ 'src/authentication/a.ts': 'a\n', 'src/payment/p.ts': 'p\n' });
    const workspace = await tree.open();
    const { watch, violations } = watchByHand({ workspace, judge: judgeWith({ scope: ['authentication'] }) });
    tree.write('src/authentication/a.ts', 'agent\n');
    await watch.check();
    expect(violations).toEqual([]);
    tree.write('src/payment/p.ts', 'agent\n');
    await watch.check();
    await watch.check();
    expect(violations.flat().map((violation) => [violation.why, violation.path])).toEqual([
      ['out_of_scope', 'src/payment/p.ts'],
    ]);
    await workspace.revert(['src/payment/p.ts'], tree.aside);
    expect(tree.read('src/payment/p.ts')).toBe('p\n');
    await watch.check();
    tree.write('src/payment/p.ts', 'again\n');
    await watch.check();
    expect(violations).toHaveLength(2);
    watch.stop();
  });

  test('E-5: the 21st file is found, the 20 stay accepted, and a new limit accepts it', async () => {
    const tree = makeWorktree();
    const workspace = await tree.open();
    const limits = { maxFiles: 20 };
    const { watch, violations } = watchByHand({
      workspace,
      judge: (path, changed) => judgeWith(limits)(path, changed),
    });
    for (let n = 10; n < 30; n += 1) tree.write(`f${n}.txt`, 'x\n');
    await watch.check();
    expect(violations).toEqual([]);
    // Sorts before the others: what was accepted first stays accepted all the same.
    tree.write('a-late.txt', 'x\n');
    await watch.check();
    expect(violations.flat()).toMatchObject([{ why: 'file_limit', path: 'a-late.txt', limit: 20 }]);
    expect(violations.flat()[0]).toHaveProperty('changed.length', 20);
    limits.maxFiles = 30;
    await watch.check();
    tree.write('b-late.txt', 'x\n');
    await watch.check();
    expect(violations).toHaveLength(1);
    watch.stop();
  });

  test('a file that was removed again makes room for another', async () => {
    const tree = makeWorktree();
    const { watch, violations } = watchByHand({
      workspace: await tree.open(),
      judge: judgeWith({ maxFiles: 1 }),
    });
    tree.write('a.txt', 'x\n');
    await watch.check();
    tree.remove('a.txt');
    tree.write('b.txt', 'x\n');
    await watch.check();
    expect(violations).toEqual([]);
    watch.stop();
  });

  test('a worktree that vanished is told once, and the watch goes on when it is back', async () => {
    const tree = makeWorktree({ 'a.txt': 'a\n' });
    const workspace = await tree.open();
    let gone = 0;
    const { watch, violations } = watchByHand({
      workspace,
      judge: judgeWith({ scope: [] }),
      onGone: () => {
        gone += 1;
      },
    });
    tree.remove('.');
    await watch.check();
    await watch.check();
    expect(gone).toBe(1);
    await workspace.restoreTree(workspace.base());
    tree.write('b.txt', 'x\n');
    await watch.check();
    expect(violations.flat()).toHaveLength(1);
    watch.stop();
  });
});

describe('the pace', () => {
  test('looks each half second, or seldom enough that looking takes a tenth of the time', async () => {
    let clock = 0;
    let cost = 3;
    const workspace = {
      changedPaths: async () => {
        clock += cost;
        return [];
      },
    };
    const { watch, timers } = watchByHand({ workspace, now: () => clock });
    const next = async () => {
      timers.shift()?.work();
      await expect.poll(() => timers.length).toBe(1);
      return timers[0]?.ms;
    };
    expect(timers[0]?.ms).toBe(500);
    expect(await next()).toBe(500);
    cost = 200;
    expect(await next()).toBe(2000);
    watch.stop();
    expect(timers).toEqual([]);
  });

  test('looks never overlap, and nothing is looked at after the stop', async () => {
    let running = 0;
    let most = 0;
    let looks = 0;
    const workspace = {
      changedPaths: async () => {
        looks += 1;
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return [];
      },
    };
    const { watch, timers } = watchByHand({ workspace });
    timers.shift()?.work();
    await Promise.all([watch.check(), watch.check(), watch.check()]);
    expect([most, looks]).toEqual([1, 4]);
    watch.stop();
    await watch.check();
    expect(looks).toBe(4);
  });

  test('a look that fails is told and does not end the watch', async () => {
    const problems: unknown[] = [];
    let fail = true;
    const workspace = {
      changedPaths: async () => {
        if (fail) throw new Error('disk on fire');
        throw new WorktreeGoneError('gone');
      },
    };
    const { watch, timers } = watchByHand({ workspace, onProblem: (problem) => problems.push(problem) });
    timers.shift()?.work();
    await expect.poll(() => timers.length).toBe(1);
    expect(problems).toMatchObject([{ message: 'disk on fire' }]);
    await expect(watch.check()).rejects.toThrow('disk on fire');
    fail = false;
    await watch.check();
    watch.stop();
  });

  test('without a timer of its own it looks by itself', async () => {
    const tree = makeWorktree();
    const workspace = await tree.open();
    const found: Violation[] = [];
    const watch = watchWorktree({
      workspace,
      judge: judgeWith({ scope: [] }),
      onViolation: (violations) => {
        found.push(...violations);
      },
      intervalMs: 10,
    });
    tree.write('a.txt', 'x\n');
    await expect.poll(() => found.map((violation) => violation.path)).toEqual(['a.txt']);
    watch.stop();
    // The look under way, if any, must be over before the worktree is removed.
    await watch.check();
  });
});
