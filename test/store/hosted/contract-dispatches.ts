import { expect, test } from 'vitest';
import type { Bench } from './backend.ts';
import { asking, at, dispatching, request } from './commits.ts';

export function testDispatches(bench: Bench): void {
  /** Jobs 1 and 2 of `r1`, a verification of job 2, and job 2 once more. */
  const openDispatches = async () => {
    const { runs, dispatches } = await bench.open();
    await runs.commit('r1', 0, { ...request('r1'), effects: [{ type: 'dispatch_job', job: 1 }] });
    await runs.commit('r1', 1, dispatching(2));
    await runs.commit('r1', 2, asking(3, [{ type: 'dispatch_job', job: 2 }]));
    return dispatches;
  };
  const ops = async (found: Promise<{ op: string }[]>) => (await found).map(({ op }) => op);

  test('R-13: dispatches that have not ended are found, oldest first', async () => {
    const dispatches = await openDispatches();
    expect(await ops(dispatches.open('r1'))).toEqual(['r1.1.0', 'r1.2.1', 'r1.2.2', 'r1.3.0']);
    expect(await dispatches.open('r2')).toEqual([]);
    expect(await dispatches.change('r1.2.1', { ended_at: at(9), outcome: 'cancelled' })).toBe(true);
    expect(await ops(dispatches.open('r1'))).toEqual(['r1.1.0', 'r1.2.2', 'r1.3.0']);
  });

  test('the newest dispatch of a job is found, by its kind', async () => {
    const dispatches = await openDispatches();
    expect(await dispatches.ofJob('r1', 2, 'build')).toMatchObject({ op: 'r1.3.0' });
    expect(await dispatches.ofJob('r1', 2, 'verify')).toMatchObject({ op: 'r1.2.2', verification: '1.0' });
    expect(await dispatches.ofJob('r1', 3, 'build')).toBeUndefined();
    expect(await dispatches.ofJob('r2', 1, 'build')).toBeUndefined();
  });

  test('every stage is kept as it was told', async () => {
    const dispatches = await openDispatches();
    const stages = {
      requested_at: at(1),
      actions_run: 4_000_000_001,
      attempt: 2,
      claimed_at: at(2),
      working_at: at(3),
      heard_at: at(4),
      silent_at: at(5),
      stopping_at: at(6),
    };
    for (const [name, value] of Object.entries(stages))
      expect(await dispatches.change('r1.1.0', { [name]: value })).toBe(true);
    expect(await dispatches.find('r1.1.0')).toMatchObject(stages);
    expect(await dispatches.find('r1.2.1')).toMatchObject({ op: 'r1.2.1', requested_at: undefined });
    expect(await dispatches.ofActionsRun(4_000_000_001)).toMatchObject({ op: 'r1.1.0' });
    expect(await dispatches.ofActionsRun(5)).toBeUndefined();
  });

  test('a change without a value leaves what is known; only silence is taken back so', async () => {
    const dispatches = await openDispatches();
    await dispatches.change('r1.1.0', { requested_at: at(1), actions_run: 9, silent_at: at(5) });
    expect(await dispatches.change('r1.1.0', { requested_at: undefined, actions_run: undefined })).toBe(true);
    expect(await dispatches.change('r1.1.0', {})).toBe(true);
    expect(await dispatches.find('r1.1.0')).toMatchObject({
      requested_at: at(1),
      actions_run: 9,
      silent_at: at(5),
    });
    await dispatches.change('r1.1.0', { silent_at: undefined });
    expect(await dispatches.find('r1.1.0')).toMatchObject({ actions_run: 9, silent_at: undefined });
  });

  test('R-5: what a job says after its dispatch ended changes nothing', async () => {
    const dispatches = await openDispatches();
    await dispatches.change('r1.1.0', { ended_at: at(9), outcome: 'cancelled' });
    expect(await dispatches.change('r1.1.0', { heard_at: at(10) })).toBe(false);
    expect(await dispatches.change('none', { heard_at: at(10) })).toBe(false);
    const ended = await dispatches.find('r1.1.0');
    expect(ended).toMatchObject({ ended_at: at(9), outcome: 'cancelled', heard_at: undefined });
  });

  test('the newest dispatch whose job claimed its ticket is found', async () => {
    const dispatches = await openDispatches();
    expect(await dispatches.newestClaimed('r1')).toBeUndefined();
    await dispatches.change('r1.2.1', { claimed_at: at(2) });
    await dispatches.change('r1.1.0', { claimed_at: at(3) });
    expect(await dispatches.newestClaimed('r1')).toMatchObject({ op: 'r1.2.1' });
  });

  test('R-5: runs of a phase are found by a job that has begun to work and has not ended', async () => {
    const dispatches = await openDispatches();
    expect(await dispatches.atWork('working')).toEqual([]);
    await dispatches.change('r1.1.0', { working_at: at(2) });
    await dispatches.change('r1.2.1', { working_at: at(3) });
    expect(await dispatches.atWork('working')).toEqual(['r1']);
    expect(await dispatches.atWork('waiting')).toEqual([]);
    for (const op of ['r1.1.0', 'r1.2.1']) await dispatches.change(op, { ended_at: at(9), outcome: 'over' });
    expect(await dispatches.atWork('working')).toEqual([]);
  });
}
