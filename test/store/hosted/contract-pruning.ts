import { expect, test } from 'vitest';
import type { Bench } from './backend.ts';
import { at, finish, request, target } from './commits.ts';
import { openWithClock } from './test-clock.ts';

const DAY = 24 * 3600;

export function testPruning(bench: Bench): void {
  test('records of runs that ended long ago are deleted; those of others, and the runs themselves, stay', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { runs, dispatches, tickets, cursors, comments, publications, outbox } = store;
    for (const [issue, run] of ['ended', 'resting', 'open'].entries()) {
      const effects = [{ type: 'dispatch_job', job: 1 } as const];
      await runs.commit(run, 0, { ...request(run), target: target(issue), effects, seen: [`label:${run}`] });
      await tickets.add({ hash: `ticket-${run}`, op: `${run}.1.0`, expires_at: at(DAY) });
      await tickets.addToken(`token-${run}`, `${run}.1.0`);
      await comments.save(`${run}.1.0`, { run, comment_id: issue + 1 });
      await publications.change(run, { pull: 5 });
      await store.blobs.put(run, 'checkpoint', new Uint8Array([1]));
    }
    await runs.commit('ended', 1, finish(2));
    await runs.commit('resting', 1, finish(2, 'reviewing'));
    await runs.write('77#9', '77-9', [], ['comment:9']);
    await cursors.set('labelled_issue', '77#9', { updated_at: at(0) });
    // A worker that crashed.
    await outbox.claim(1000);
    await setClock(29 * DAY);
    expect(await runs.prune(30 * DAY * 1000)).toBe(0);
    await cursors.set('labelled_issue', '77#8', { updated_at: at(0) });
    await setClock(32 * DAY);
    // Seen, token, ticket, dispatch; the source without a run, the old cursor, the lane.
    expect(await runs.prune(30 * DAY * 1000)).toBe(7);
    expect(await runs.prune(30 * DAY * 1000)).toBe(0);
    const kept = async (run: string) => ({
      seen: await runs.wasSeen(`label:${run}`),
      dispatch: (await dispatches.find(`${run}.1.0`)) !== undefined,
      ticket: (await tickets.find(`ticket-${run}`)) !== undefined,
      token: (await tickets.findToken(`token-${run}`)) !== undefined,
      comment: (await comments.find(`${run}.1.0`)) !== undefined,
      pull: (await publications.of(run)).pull,
      journal: (await runs.events(run)).length,
    });
    // V-1: another round continues the conversation for as long as the pull request is open.
    expect([...((await store.blobs.get('resting', 'checkpoint')) ?? [])]).toEqual([1]);
    const gone = { seen: false, dispatch: false, ticket: false, token: false };
    const all = { seen: true, dispatch: true, ticket: true, token: true };
    expect(await kept('ended')).toEqual({ ...gone, comment: true, pull: 5, journal: 2 });
    expect(await kept('resting')).toEqual({ ...all, comment: true, pull: 5, journal: 2 });
    expect(await kept('open')).toEqual({ ...all, comment: true, pull: 5, journal: 1 });
    expect(await runs.wasSeen('comment:9')).toBe(false);
    expect(await cursors.get('labelled_issue', '77#9')).toBeUndefined();
    expect(await cursors.get('labelled_issue', '77#8')).toBeDefined();
    expect(await bench.backend.query('select hash from tokens where op is null')).toEqual([]);
  });
}
