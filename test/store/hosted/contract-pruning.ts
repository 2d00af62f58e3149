import { expect, test } from 'vitest';
import type { Bench } from './backend.ts';
import { asking, at, delivery, finish, note, request, target } from './commits.ts';
import { openWithClock } from './test-clock.ts';

const DAY = 24 * 3600;

export function testPruning(bench: Bench): void {
  test('R-14: records of runs that ended long ago are deleted; those of others, and the runs themselves, stay', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, dispatches, tickets, cursors, comments, publications, labellings, outbox } = store;
    for (const [issue, run] of ['ended', 'resting', 'open'].entries()) {
      const effects = [{ type: 'dispatch_job', job: 1 } as const];
      const labelling = { event: issue, at: at(0) };
      const place = { target: target(issue), labelling };
      await runs.commit(run, 0, { ...request(run), ...place, effects, seen: [`label:${run}`] });
      await tickets.add({ hash: `ticket-${run}`, op: `${run}.1.0`, expires_at: at(DAY) });
      await tickets.addToken(`token-${run}`, `${run}.1.0`);
      await comments.save(`${run}.1.0`, { run, comment_id: issue + 1 });
      await publications.change(run, { pull: 5, head: 'a', branch: 'autobuild/issue-1-own' });
      await publications.addOwnCommit(77, issue, 'a');
      await store.blobs.put(run, 'checkpoint', new Uint8Array([1]));
    }
    await runs.commit('ended', 1, finish(2));
    await runs.commit('resting', 1, finish(2, 'reviewing'));
    await runs.write({ installation_id: 1, repo_id: 77, issue: 9 }, '77-9', [], ['comment:9']);
    await cursors.set('labelled_issue', '77#9', { updated_at: at(0) });
    await comments.save('9.not-started', { comment_id: 9 });
    // Without a pull request, nothing of it is shown.
    await runs.commit('unpublished', 0, { ...request('unpublished'), target: target(3) });
    await runs.commit('unpublished', 1, finish(2));
    await publications.change('unpublished', { label: 'autobuild:stopped' });
    // A worker that crashed.
    await outbox.claim(1000);
    await setClock(29 * DAY);
    expect(await runs.prune(30 * DAY * 1000)).toBe(0);
    await cursors.set('labelled_issue', '77#8', { updated_at: at(0) });
    await setClock(32 * DAY);
    // Seen, token, ticket, dispatch, checkpoint, comment, labelling, commit, most of the publication; all of another; the source
    // without a run, the old cursor, the comment without a run, the lane.
    expect(await runs.prune(30 * DAY * 1000)).toBe(14);
    expect(await runs.prune(30 * DAY * 1000)).toBe(0);
    const kept = async (run: string) => ({
      seen: await runs.wasSeen(`label:${run}`),
      dispatch: (await dispatches.find(`${run}.1.0`)) !== undefined,
      ticket: (await tickets.find(`ticket-${run}`)) !== undefined,
      token: (await tickets.findToken(`token-${run}`)) !== undefined,
      comment: (await comments.find(`${run}.1.0`)) !== undefined,
      labelling: (await labellings.of(run)) !== undefined,
      publication: await publications.of(run),
      journal: (await runs.events(run)).length,
    });
    // V-1: another round continues the conversation for as long as the pull request is open.
    expect([...((await store.blobs.get('resting', 'checkpoint')) ?? [])]).toEqual([1]);
    const gone = {
      seen: false,
      dispatch: false,
      ticket: false,
      token: false,
      comment: false,
      labelling: false,
    };
    const publication = { pull: 5, head: 'a', branch: 'autobuild/issue-1-own' };
    const all = { seen: true, dispatch: true, ticket: true, token: true, comment: true, labelling: true };
    expect(await kept('ended')).toEqual({ ...gone, publication: { pull: 5 }, journal: 2 });
    expect(await kept('resting')).toEqual({ ...all, publication, journal: 2 });
    expect(await kept('open')).toEqual({ ...all, publication, journal: 1 });
    expect([await publications.ownCommits(77, 0), await publications.ownCommits(77, 1)]).toEqual([[], ['a']]);
    expect(await publications.of('unpublished')).toEqual({});
    expect(await comments.find('9.not-started')).toBeUndefined();
    // The pages show it, and a command there is answered.
    expect((await runs.summary('ended'))?.pull).toBe(5);
    await publications.change('ended', { label: 'x' });
    expect(await publications.of('ended')).toEqual({ pull: 5, label: 'x' });
    expect(await runs.wasSeen('comment:9')).toBe(false);
    expect(await cursors.get('labelled_issue', '77#9')).toBeUndefined();
    expect(await cursors.get('labelled_issue', '77#8')).toBeDefined();
    expect(await bench.backend.query('select hash from tokens where op is null')).toEqual([]);
  });

  test('R-1: a run that waits keeps what was answered and read for it, however long it waits', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, cursors } = store;
    const year = 366 * DAY;
    const place = { installation_id: 1, repo_id: 77, issue: 1 };
    const effects = [{ type: 'dispatch_job', job: 1 } as const];
    await runs.commit('r1', 0, { ...request('r1'), target: target(1), effects, seen: ['label:1'] });
    await runs.remember('r1', 'comment:1');
    await runs.write(place, '1.not-started', [], ['label:0']);
    const before = { updated_at: at(0) };
    await cursors.set('run', 'r1', { comments: { 1: at(0) } });
    await cursors.set('dropped', 'r1', { job: 1, reasons: {} });
    await cursors.set('label_gone', 'r1', { since: at(0) });
    await cursors.set('labelled_issue', '77#1', before);
    await cursors.set('labelled_issue', '77#2', before);
    await cursors.set('polled', '77', { listed: [1] });
    await cursors.set('polled', '78', { listed: [1] });
    await cursors.set('labels', '77', { read_at: at(0) });
    await cursors.set('job', 'r1.1.0', { asked_at: at(0) });
    await cursors.set('repositories', 'all', { installed: [] });
    await cursors.set('deliveries', 'all', { seen: at(0) });
    await cursors.set('redelivery', 'guid', { tries: 1, after: '' });
    const keysOf = async (table: string, column: string) =>
      (await bench.backend.query(`select ${column} as one from ${table} order by 1`)).map(({ one }) => one);
    const left = async () => {
      await runs.prune(90 * DAY * 1000);
      return { seen: await keysOf('seen', 'key'), cursors: await keysOf('cursors', "name || ' ' || key") };
    };
    const ofDesk = ['deliveries all', 'repositories all'];
    const all = {
      seen: ['comment:1', 'label:0', 'label:1'],
      cursors: [
        'deliveries all',
        'dropped r1',
        'job r1.1.0',
        'label_gone r1',
        'labelled_issue 77#1',
        'labels 77',
        'polled 77',
        'repositories all',
        'run r1',
      ],
    };
    await setClock(year);
    expect(await left()).toEqual(all);
    await runs.commit('r1', 1, finish(2));
    await setClock(year + 89 * DAY);
    const { seen, cursors: kept } = await left();
    expect(seen).toEqual(all.seen);
    expect(kept).toEqual(all.cursors.filter((cursor) => !cursor.includes('77')));
    await setClock(year + 91 * DAY);
    expect(await left()).toEqual({ seen: [], cursors: ofDesk });
  });

  test('R-14: the commits of an issue stay while one of its runs is open, or ended not long ago', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, publications } = store;
    const left = async () => {
      await runs.prune(90 * DAY * 1000);
      return publications.ownCommits(77, 1);
    };
    await runs.commit('first', 0, { ...request('first'), target: target(1) });
    await publications.addOwnCommit(77, 1, 'a');
    await runs.commit('first', 1, finish(2));
    await runs.commit('second', 0, { ...request('second'), target: target(1) });
    await setClock(200 * DAY);
    expect(await left()).toEqual(['a']);
    await runs.commit('second', 1, finish(2));
    await setClock(289 * DAY);
    expect(await left()).toEqual(['a']);
    await setClock(291 * DAY);
    expect(await left()).toEqual([]);
  });

  test('R-14: the work of a run is deleted 30 days after its end, whenever it began, some at a time', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, blobs, timers } = store;
    const has = async (run: string) => (await blobs.get(run, 'changeset')) !== undefined;
    for (const run of ['ended', 'open']) {
      await runs.commit(run, 0, request(run));
      await blobs.put(run, 'changeset', new Uint8Array([1]));
    }
    const timer = { run: 'ended', timer: 'fails', at: at(0) };
    await setClock(100 * DAY);
    await runs.commit('ended', 1, { ...finish(2), effects: [{ type: 'set_timer', ...timer }] });
    await timers.retry(timer, 3_600_000);
    await runs.commit('open', 1, { ...note(2), effects: [{ type: 'set_timer', ...timer }] });
    await setClock(129 * DAY);
    // What is written after the end does not move it.
    await runs.commit('ended', 2, asking(3, []));
    expect(await runs.prune(1000 * DAY * 1000)).toBe(0);
    for (let number = 0; number < 120; number += 1)
      await blobs.put('ended', `part ${number}`, new Uint8Array());
    await setClock(131 * DAY);
    expect(await runs.prune(1000 * DAY * 1000)).toBe(100);
    expect(await runs.prune(1000 * DAY * 1000)).toBe(21);
    expect([await has('ended'), await has('open')]).toEqual([false, true]);
    expect(await runs.prune(30 * DAY * 1000)).toBe(1);
    expect(await bench.backend.query('select run from timers')).toEqual([{ run: 'open' }]);
  });

  test('R-14: what was given up is deleted after 30 days, and nothing that waits', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, inbox, outbox } = store;
    const reply = { type: 'reply', reply: { tone: 'info', title: 'Hello' } } as const;
    await runs.commit('r1', 0, { ...request('r1'), target: target(1), effects: [reply, reply] });
    const lane = await outbox.claim(1000);
    if (!lane) return expect.fail('no lane');
    const first = await outbox.next(lane);
    await outbox.bury(lane, first?.id ?? '', 'refused');
    await inbox.put([delivery('dead', 'a'), delivery('waiting', 'b')]);
    const dead = await inbox.claim(1000);
    await inbox.bury(dead ?? expect.fail('no delivery'), 'broken');
    const left = async () => [(await inbox.size()).buried, (await outbox.size()).buried];
    await setClock(29 * DAY);
    await runs.prune(1000 * DAY * 1000);
    expect(await left()).toEqual([1, 1]);
    await setClock(31 * DAY);
    expect(await runs.prune(1000 * DAY * 1000)).toBe(2);
    expect(await left()).toEqual([0, 0]);
    expect([(await inbox.size()).waiting, (await outbox.size()).waiting]).toEqual([1, 1]);
  });
}
