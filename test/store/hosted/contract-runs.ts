import { expect, test } from 'vitest';
import { foldRun } from '../../../src/core/decide/evolve.ts';
import { roundTrip } from '../../core/run-builder.ts';
import type { Bench } from './backend.ts';
import { at, finish, note, request, someCommits, target } from './commits.ts';

export function testRuns(bench: Bench): void {
  test('a run that is not there has version 0 and nothing else', async () => {
    const { runs } = await bench.open();
    expect(await runs.load('r1')).toEqual({ version: 0, state: undefined });
    expect(await runs.target('r1')).toBeUndefined();
    expect(await runs.ofIssue(77, 1)).toBeUndefined();
    expect(await runs.events('r1')).toEqual([]);
    expect(await runs.active()).toEqual([]);
    expect(await runs.list(10)).toEqual([]);
  });

  test('R-3: what was committed is there after reopening: the state, and the journal it is the fold of', async () => {
    const store = await bench.open();
    const commits = someCommits();
    for (const [index, commit] of commits.entries()) {
      expect(await store.runs.commit('r1', index, commit)).toEqual({
        ok: true,
        version: index + 1,
        duplicate: false,
      });
    }
    await store.close();
    const { runs } = await bench.open();
    const folded = roundTrip(foldRun(commits.flatMap((commit) => commit.events)));
    expect(await runs.load('r1')).toEqual({ version: commits.length, state: folded });
    const journal = await runs.events('r1');
    expect(journal.map(({ version }) => version)).toEqual(commits.map((_, index) => index + 1));
    expect(journal.map(({ commit }) => commit)).toEqual(roundTrip(commits));
  });

  test('R-7: the loser of a compare-and-swap gets ok: false and nothing of it is written', async () => {
    const { runs, outbox, timers } = await bench.open();
    await runs.commit('r1', 0, request('r1'));
    for (const version of [0, 2, 7]) {
      expect(await runs.commit('r1', version, { ...note(9), seen: ['k'] })).toEqual({ ok: false });
    }
    expect(await runs.commit('r2', 1, request('r2'))).toEqual({ ok: false });
    expect(await runs.list(10)).toEqual(['r1']);
    expect((await runs.load('r1')).version).toBe(1);
    expect(await runs.events('r1')).toHaveLength(1);
    expect(await outbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
    expect(await timers.due(at(99), 10)).toEqual([]);
    expect(await runs.commit('r1', 1, { ...note(2), seen: ['k'] })).toMatchObject({ duplicate: false });
  });

  test('a commit that cannot be folded throws, and nothing of it is written', async () => {
    const { runs, outbox } = await bench.open();
    await expect(runs.commit('r1', 0, { ...note(1), seen: ['k'] })).rejects.toThrow('not with run_requested');
    await expect(runs.commit('r1', 0, { ...note(1), events: [] })).rejects.toThrow('run_requested');
    expect(await runs.list(10)).toEqual([]);
    expect(await outbox.size()).toMatchObject({ waiting: 0 });
    expect(await runs.commit('r1', 0, { ...request('r1'), seen: ['k'] })).toMatchObject({ duplicate: false });
  });

  test('R-2: what was answered once is not answered again, not even for another run or from an old version', async () => {
    const { runs, outbox, timers } = await bench.open();
    await runs.commit('r1', 0, { ...request('r1'), seen: ['label:1'] });
    await runs.commit('r1', 1, { ...note(2), seen: ['comment:5:x', 'comment:5:x'] });
    const answers = [
      await runs.commit('r1', 2, { ...note(3), seen: ['comment:5:x'] }),
      await runs.commit('r1', 1, { ...note(3), seen: ['comment:5:x'] }),
      await runs.commit('r1', 2, { ...note(3), seen: ['comment:6:y', 'comment:5:x'] }),
    ];
    for (const answer of answers) expect(answer).toEqual({ ok: true, version: 2, duplicate: true });
    expect([await runs.wasSeen('comment:5:x'), await runs.wasSeen('comment:6:y')]).toEqual([true, false]);
    expect(await runs.commit('r2', 0, { ...request('r2'), seen: ['label:1'] })).toEqual({
      ok: true,
      version: 0,
      duplicate: true,
    });
    expect(await runs.list(10)).toEqual(['r1']);
    expect(await runs.events('r1')).toHaveLength(2);
    expect(await outbox.size()).toMatchObject({ waiting: 1 });
    expect(await timers.due(at(99), 10)).toEqual([{ run: 'r1', timer: 'next', at: at(2) }]);
    // The other key of a refused commit is free.
    expect(await runs.commit('r1', 2, { ...note(3), seen: ['comment:6:y'] })).toMatchObject({
      version: 3,
      duplicate: false,
    });
  });

  test('a run is found by its issue, the newest first; finished ones are not active', async () => {
    const { runs } = await bench.open();
    for (const [run, issue] of [['b', 1] as const, ['a', 2] as const, ['c', 1] as const]) {
      await runs.commit(run, 0, { ...request(run), target: target(issue) });
    }
    expect(await runs.ofIssue(77, 1)).toBe('c');
    expect(await runs.ofIssue(77, 2)).toBe('a');
    expect(await runs.ofIssue(78, 1)).toBeUndefined();
    expect(await runs.target('a')).toEqual(target(2));
    expect(await runs.active()).toEqual(['b', 'a', 'c']);
    await runs.commit('a', 1, { ...finish(2), target: target(9) });
    expect(await runs.active()).toEqual(['b', 'c']);
    expect(await runs.target('a')).toEqual(target(2));
    expect(await runs.list(2)).toEqual(['c', 'a']);
  });

  test('effects go to the outbox in their order, timers to the timers', async () => {
    const { runs, outbox, timers } = await bench.open();
    const effects = [
      { type: 'update_status' } as const,
      { type: 'set_timer', timer: 'reminder', at: at(50) } as const,
      { type: 'set_timer', timer: 'hold', at: at(40) } as const,
      { type: 'dispatch_job' } as const,
    ];
    await runs.commit('r1', 0, { ...request('r1'), effects });
    expect(await outbox.size()).toEqual({ waiting: 2, busy: 0, buried: 0 });
    const first = (await outbox.claim(at(0), 1000)) ?? expect.fail();
    expect(first).toMatchObject({
      id: 'r1.1.0',
      run: 'r1',
      effect: { type: 'update_status' },
      attempts: 1,
    });
    expect(await outbox.claim(at(0), 1000)).toBeUndefined();
    expect(await outbox.done(first)).toBe(true);
    expect(await outbox.claim(at(0), 1000)).toMatchObject({
      id: 'r1.1.3',
      effect: { type: 'dispatch_job' },
    });

    expect(await timers.due(at(39), 10)).toEqual([]);
    expect(await timers.due(at(50), 1)).toEqual([{ run: 'r1', timer: 'hold', at: at(40) }]);
    const again = [
      { type: 'clear_timer', timer: 'hold' } as const,
      { type: 'set_timer', timer: 'reminder', at: at(60) } as const,
    ];
    await runs.commit('r1', 1, { ...note(2), effects: again });
    expect(await timers.due(at(59), 10)).toEqual([]);
    // Found due before it was set anew: what is done is the old one.
    await timers.done('r1', 'reminder', at(50));
    expect(await timers.due(at(60), 10)).toEqual([{ run: 'r1', timer: 'reminder', at: at(60) }]);
    await timers.done('r1', 'reminder', at(60));
    expect(await timers.due(at(60), 10)).toEqual([]);
  });

  test('a commit wakes those who wait for its run, and the outbox when there is something to do', async () => {
    const { runs, inbox, onWake } = await bench.open();
    const heard: string[] = [];
    const stop = onWake((what) => heard.push(what));
    await runs.commit('r1', 0, request('r1'));
    expect(heard.splice(0)).toEqual(['run:r1']);
    await runs.commit('r1', 1, note(2));
    expect(heard.splice(0).sort()).toEqual(['outbox', 'run:r1']);
    await runs.commit('r1', 1, note(2));
    await inbox.put([]);
    expect(heard.splice(0)).toEqual([]);
    await inbox.put([{ id: 'd', event: 'ping', payload: '{}', lane: 'app', received_at: at(0) }]);
    expect(heard.splice(0)).toEqual(['inbox']);
    stop();
    await runs.commit('r1', 2, note(3));
    expect(heard).toEqual([]);
  });
}
