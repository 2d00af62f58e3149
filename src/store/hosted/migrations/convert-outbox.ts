import { sql } from 'kysely';
import type { Outgoing } from '../../../core/contracts/effect.ts';
import { phaseOf, type RunState, verificationName } from '../../../core/contracts/run-state.ts';
import { laneOrder } from '../../../core/decide/lane-order.ts';
import type { JobKind } from '../../../core/ports/job-api.ts';
import type { Trx } from '../tables.ts';

/** A request for a job that no worker has carried out, or that it gave up. */
export interface UnfinishedDispatch {
  op: string;
  run: string;
  job: number;
  kind: JobKind;
  verification?: string;
  buried: boolean;
}

interface OutboxRow {
  id: string;
  lane: string;
  body: Uint8Array;
  state: string;
  run_state: string | null;
  issue_lane: string | null;
}

/**
 * Effects that wait in a store of the older layout join the lane of their issue. The lane was the run. A request for a job did
 * not name it, so it gets the number that its performer would have chosen.
 */
export async function convertOutbox(trx: Trx): Promise<UnfinishedDispatch[]> {
  const { rows } = await sql<OutboxRow>`
    select outbox.id, outbox.lane, outbox.body, outbox.state, runs.state as run_state,
      cast(runs.repo_id as text) || '#' || cast(runs.issue as text) as issue_lane
    from outbox left join runs on runs.run = outbox.lane order by outbox.seq`.execute(trx);
  const dispatches = new Map<string, UnfinishedDispatch>();
  for (const row of rows) {
    const { id, lane: run } = row;
    let effect = JSON.parse(Buffer.from(row.body).toString('utf8')) as Outgoing;
    if (effect.type === 'dispatch_job' || effect.type === 'dispatch_verification') {
      const wanted = wantedJob(effect.type, row.run_state);
      const key = `${run} ${wanted?.job} ${wanted?.kind}`;
      if (!wanted || dispatches.has(key)) {
        await sql`delete from outbox where id = ${id}`.execute(trx);
        continue;
      }
      dispatches.set(key, { op: id, run, ...wanted, buried: row.state === 'buried' });
      effect = { type: effect.type, job: wanted.job, verification: wanted.verification };
    }
    const { slot, rank } = laneOrder(effect, run, id);
    const body = Buffer.from(JSON.stringify(effect));
    await sql`update outbox set run = ${run}, lane = ${row.issue_lane ?? run}, slot = ${slot}, rank = ${rank},
      body = ${body},
      due_ms = case when state = 'busy' then 0 else due_ms end,
      state = case when state = 'busy' then 'waiting' else state end
      where id = ${id}`.execute(trx);
  }
  return [...dispatches.values()];
}

/** Undefined if the run does not need the job any more, so that its performer would have done nothing. */
function wantedJob(
  type: 'dispatch_job' | 'dispatch_verification',
  text: string | null,
): Pick<UnfinishedDispatch, 'job' | 'kind' | 'verification'> | undefined {
  if (text === null) return undefined;
  const state = JSON.parse(text) as RunState;
  if (phaseOf(state) === 'ended' || phaseOf(state) === 'resting') return undefined;
  if (type === 'dispatch_verification')
    return state.verifying === undefined
      ? undefined
      : { job: state.jobs, kind: 'verify', verification: verificationName(state) };
  const isNeeded = !state.job_live && !state.pending && !state.paused && state.verifying === undefined;
  return isNeeded ? { job: state.jobs + 1, kind: 'build' } : undefined;
}
