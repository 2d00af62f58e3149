import { expect, test } from 'vitest';
import { foldRun } from '../../../src/core/decide/evolve.ts';
import { roundTrip } from '../../core/run-builder.ts';
import type { Bench } from './backend.ts';
import { at, dispatching, finish, note, request, someCommits, target } from './commits.ts';
import { openWithClock } from './test-clock.ts';

export function testRuns(bench: Bench): void {
  test('a run that is not there has version 0 and nothing else', async () => {
    const { runs } = await bench.open();
    expect(await runs.load('r1')).toEqual({ version: 0, state: undefined });
    expect(await runs.target('r1')).toBeUndefined();
    expect(await runs.ofIssue(77, 1)).toBeUndefined();
    expect(await runs.events('r1')).toEqual([]);
    expect(await runs.inPhase('working', 'waiting', 'resting', 'ended')).toEqual([]);
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
    const newest = commits.map(({ events }, index) => ({ version: index + 1, events })).toReversed();
    expect(await runs.newest('r1', 2)).toEqual(roundTrip(newest.slice(0, 2)));
  });

  test('R-7: the loser of a compare-and-swap gets ok: false and nothing of it is written', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, outbox, timers, dispatches, labellings } = store;
    await setClock(99);
    await runs.commit('r1', 0, request('r1'));
    for (const version of [0, 2, 7]) {
      const { effects } = dispatching(9);
      const lost = { ...note(9), effects, seen: ['k'], labelling: { at: at(9) } };
      expect(await runs.commit('r1', version, lost)).toEqual({ ok: false });
    }
    expect(await dispatches.open('r1')).toEqual([]);
    expect(await labellings.of('r1')).toBeUndefined();
    expect(await runs.commit('r2', 1, request('r2'))).toEqual({ ok: false });
    expect(await runs.list(10)).toEqual(['r1']);
    expect((await runs.load('r1')).version).toBe(1);
    expect(await runs.events('r1')).toHaveLength(1);
    expect(await outbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
    expect(await timers.due(10)).toEqual([]);
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
    const { store, setClock } = await openWithClock(bench);
    const { runs, outbox, timers } = store;
    await setClock(99);
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
    expect(await timers.due(10)).toEqual([{ run: 'r1', timer: 'next', at: at(2), attempts: 0 }]);
    // The other key of a refused commit is free.
    expect(await runs.commit('r1', 2, { ...note(3), seen: ['comment:6:y'] })).toMatchObject({
      version: 3,
      duplicate: false,
    });
  });

  test('a run is found by its issue, the newest first', async () => {
    const { runs } = await bench.open();
    for (const [run, issue] of [['b', 1] as const, ['a', 2] as const, ['c', 1] as const]) {
      await runs.commit(run, 0, { ...request(run), target: target(issue) });
    }
    expect(await runs.ofIssue(77, 1)).toBe('c');
    expect(await runs.ofIssue(77, 2)).toBe('a');
    expect(await runs.ofIssue(78, 1)).toBeUndefined();
    await runs.commit('a', 1, { ...finish(2), target: target(9) });
    expect(await runs.target('a')).toEqual(target(2));
    expect(await runs.list(2)).toEqual(['c', 'a']);
  });

  test('R-13: runs are found by their phase, oldest first, at every version', async () => {
    const { runs } = await bench.open();
    const story = someCommits();
    const phases = async () => ({
      working: await runs.inPhase('working'),
      waiting: await runs.inPhase('waiting'),
      resting: await runs.inPhase('resting'),
      ended: await runs.inPhase('ended'),
    });
    for (const run of ['z', 'y', 'x']) await runs.commit(run, 0, request(run));
    expect(await phases()).toEqual({ working: ['z', 'y', 'x'], waiting: [], resting: [], ended: [] });
    await runs.commit('z', 1, finish(2));
    await runs.commit('y', 1, finish(2, 'reviewing'));
    expect(await phases()).toEqual({ working: ['x'], waiting: [], resting: ['y'], ended: ['z'] });
    const seen = [];
    for (const [version, { events, ...rest }] of story.entries()) {
      const own = events.map((event) => (event.type === 'run_requested' ? { ...event, run: 'w' } : event));
      await runs.commit('w', version, { ...rest, events: own, effects: [] });
      seen.push((await runs.inPhase('waiting')).join() || (await runs.inPhase('working')).join());
    }
    // It works, asks, and works again once it is answered.
    expect(seen.slice(0, -2)).toEqual(seen.slice(0, -2).map(() => 'x,w'));
    expect(seen.slice(-2)).toEqual(['w', 'x,w']);
    expect(await runs.inPhase('resting', 'working')).toEqual(['y', 'x', 'w']);
  });

  test('R-13: a decision for a job leaves its record, with the number of the job and the time', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, dispatches } = store;
    await runs.commit('r1', 0, { ...request('r1'), target: target(1) });
    await setClock(5);
    await runs.commit('r1', 1, dispatching(2));
    const build = { op: 'r1.2.1', run: 'r1', job: 2, kind: 'build', decided_at: at(5) };
    const verify = {
      op: 'r1.2.2',
      run: 'r1',
      job: 2,
      kind: 'verify',
      verification: '1.0',
      decided_at: at(5),
    };
    expect(await dispatches.open('r1')).toEqual([build, verify]);
    // An effect of an older version does not name its job.
    await runs.commit('r1', 2, { ...note(3), effects: [{ type: 'dispatch_job' }] });
    expect(await dispatches.find('r1.3.0')).toBeUndefined();
  });

  test('the labelling is stored with the first commit', async () => {
    const { runs, labellings } = await bench.open();
    expect(await labellings.of('r1')).toBeUndefined();
    await runs.commit('r1', 0, { ...request('r1'), labelling: { event: 4_000_000_001, at: at(0) } });
    await runs.commit('r2', 0, { ...request('r2'), labelling: { at: at(1) } });
    expect(await labellings.of('r1')).toEqual({ event: 4_000_000_001, at: at(0) });
    expect(await labellings.of('r2')).toEqual({ at: at(1) });
  });

  test('R-13: what is to be written again is cleared with the decision, and not by one that was made before', async () => {
    const { runs, comments, publications } = await bench.open();
    await runs.commit('r1', 0, { ...request('r1'), target: target(1) });
    await comments.save('r1.status', { run: 'r1', comment_id: 5, body_hash: 'a' });
    await publications.change('r1', { pull: 7, label: 'autobuild:waiting' });
    const seen = ['turn:1'];
    const commits = [{ unwritten: { comment: 'r1.status' } }, { unwritten: 'label' }] as const;
    for (const [index, records] of commits.entries())
      await runs.commit('r1', index + 1, {
        ...note(index + 2),
        ...records,
        seen: [`edit:${index}`, ...seen],
      });
    expect((await comments.find('r1.status'))?.body_hash).toBe('');
    expect(await publications.of('r1')).toEqual({ pull: 7, label: 'autobuild:waiting' });
    await runs.commit('r1', 2, { ...note(3), unwritten: 'label' });
    expect(await publications.of('r1')).toEqual({ pull: 7, label: '' });
    await runs.commit('r1', 3, { ...note(4), unwritten: { comment: 'nothing' } });
    expect(await comments.find('nothing')).toBeUndefined();
  });

  test('R-2: an issue without a run is written to once per source', async () => {
    const [{ runs, outbox }, other] = [await bench.open(), await bench.open()];
    const react = { type: 'react', source: 'comment:5', reaction: 'confused' } as const;
    const written = await Promise.all(
      [runs, other.runs, runs, other.runs].map((log, index) =>
        log.write(
          { installation_id: 1, repo_id: 77, issue: 9 },
          `77-9.${index}`,
          [react, react],
          ['comment:5'],
        ),
      ),
    );
    expect(written.filter((is) => is)).toEqual([true]);
    expect(
      await runs.write(
        { installation_id: 1, repo_id: 77, issue: 9 },
        '77-9.later',
        [react],
        ['comment:6', 'comment:5'],
      ),
    ).toBe(false);
    expect([await runs.wasSeen('comment:5'), await runs.wasSeen('comment:6')]).toEqual([true, false]);
    expect(await outbox.size()).toEqual({ waiting: 2, busy: 0, buried: 0 });
    const lease = (await outbox.claim(1000)) ?? expect.fail();
    const effect = (await outbox.next(lease)) ?? expect.fail();
    expect(effect).toEqual({
      id: expect.stringMatching(/^77-9\.\d\.0$/),
      lane: '77#9',
      run: undefined,
      effect: react,
      attempts: 1,
    });
  });

  test('timers are due by the clock of the database, unless they were set again', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, outbox, timers } = store;
    const effects = [
      { type: 'set_timer', timer: 'reminder', at: at(50) } as const,
      { type: 'set_timer', timer: 'hold', at: at(40) } as const,
    ];
    await runs.commit('r1', 0, { ...request('r1'), effects });
    expect(await outbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
    await setClock(39);
    expect(await timers.due(10)).toEqual([]);
    await setClock(50);
    expect(await timers.due(1)).toEqual([{ run: 'r1', timer: 'hold', at: at(40), attempts: 0 }]);
    const again = [
      { type: 'clear_timer', timer: 'hold' } as const,
      { type: 'set_timer', timer: 'reminder', at: at(60) } as const,
    ];
    await runs.commit('r1', 1, { ...note(2), effects: again });
    expect(await timers.due(10)).toEqual([]);
    // Found due before it was set again: the old one is done.
    await timers.done({ run: 'r1', timer: 'reminder', at: at(50) });
    await setClock(60);
    expect(await timers.due(10)).toEqual([{ run: 'r1', timer: 'reminder', at: at(60), attempts: 0 }]);
    await timers.done({ run: 'r1', timer: 'reminder', at: at(60) });
    expect(await timers.due(10)).toEqual([]);
  });

  test('R-3: a timer that failed comes back after its wait, behind those that are due, and at once after a start', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, timers } = store;
    const set = (seconds: number) => [{ type: 'set_timer', timer: 'bad', at: at(seconds) } as const];
    const bad = { run: 'r1', timer: 'bad', at: at(10) };
    const good = { run: 'r1', timer: 'good', at: at(20), attempts: 0 };
    const effects = [...set(10), { type: 'set_timer', timer: 'good', at: at(20) } as const];
    await runs.commit('r1', 0, { ...request('r1'), effects });
    await setClock(20);
    expect(await timers.due(1)).toEqual([{ ...bad, attempts: 0 }]);
    await timers.retry(bad, 5_000);
    expect(await timers.due(10)).toEqual([good]);
    await setClock(25);
    expect(await timers.due(10)).toEqual([good, { ...bad, attempts: 1 }]);
    await timers.retry(bad, 3_600_000);
    await setClock(3_624);
    expect(await timers.due(10)).toEqual([good]);
    await setClock(3_625);
    expect(await timers.due(10)).toEqual([good, { ...bad, attempts: 2 }]);
    await timers.retry(bad, 3_600_000);
    await timers.reviveAll();
    expect(await timers.due(10)).toEqual([good, { ...bad, attempts: 0 }]);
    // As an older version left it when it gave up.
    await bench.backend.query(`update timers set due_ms = null where timer = 'bad'`);
    expect(await timers.due(10)).toEqual([good]);
    await timers.reviveAll();
    expect(await timers.due(10)).toEqual([good, { ...bad, attempts: 0 }]);
    // What is said about an earlier setting changes nothing.
    await runs.commit('r1', 1, { ...note(2), effects: set(30) });
    await timers.retry(bad, 60_000_000);
    expect(await timers.due(10)).toEqual([good, { ...bad, at: at(30), attempts: 0 }]);
    // A timer that failed is set again, and what did not fail stays as it is.
    await timers.retry({ ...bad, at: at(30) }, 60_000_000);
    await runs.commit('r1', 2, { ...note(3), effects: set(30) });
    expect(await timers.due(10)).toEqual([good, { ...bad, at: at(30), attempts: 0 }]);
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
    await inbox.put([{ id: 'd', event: 'ping', payload: '{}', lane: 'app', received_ms: Date.parse(at(0)) }]);
    expect(heard.splice(0)).toEqual(['inbox']);
    stop();
    await runs.commit('r1', 2, note(3));
    expect(heard).toEqual([]);
  });
}
