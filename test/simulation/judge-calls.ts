import type { Hub } from './desk.ts';
import { BOT } from './fake-github.ts';
import type { Process } from './world.ts';

/** A call may take effect this much later than it was decided, and later still if its desk stood still. */
const IN_FLIGHT_MS = 12_000;
const STALLED_MS = 62_000;

/** So long a job that works has after a cancel to save its work. */
const GRACE_MS = 20_000;

/** no job is asked for while another one of its number is known to be under way, and wanted. */
export async function checkAlone(
  hub: Hub,
  process: Process,
  { operation = '' }: Record<string, string>,
): Promise<void> {
  const { world, github, store, broken } = hub;
  const dispatch = await store.dispatches.find(operation);
  // A desk that stood still sends what it had decided before.
  if (!dispatch || (process.hinderedUntil ?? 0) > world.now - STALLED_MS) return;
  for (const other of await store.dispatches.open(dispatch.run)) {
    const isSame = other.job === dispatch.job && other.kind === dispatch.kind && other.op !== operation;
    // GitHub may have answered without its id, which the claim then tells.
    const known = other.claimed_at ?? other.answered_at;
    if (!isSame || other.outcome !== undefined || other.actions_run === undefined || !known) continue;
    const actions = github.runs.find(({ id }) => id === other.actions_run);
    if (actions && actions.status !== 'completed' && Date.parse(known) < world.now - IN_FLIGHT_MS)
      broken.push(
        `R-6: ${operation} asks for job ${dispatch.job}, and Actions run ${actions.id} is that job`,
      );
  }
}

/** A marker proves nothing: what somebody else wrote is never written over. */
export function checkOurs(hub: Hub, id: number): void {
  const { github, broken } = hub;
  const { author } = github.comments.get(id) ?? {};
  if (author !== undefined && author !== BOT) broken.push(`R-2: comment ${id} of ${author} was written over`);
}

/** a job that works ends by its orders after a cancel, so that it saves its work. */
export function checkGrace(hub: Hub, actionsRun: number): void {
  const { world, github, jobs, endedAt, condemnedAt, broken } = hub;
  const actions = github.runs.find(({ id }) => id === actionsRun);
  // A later attempt sets up again.
  const works = jobs.find(
    (job) => job.actions_run === actionsRun && job.attempt === actions?.attempt && job.accepted.length > 0,
  );
  const ended = works && endedAt.get(works.run);
  if (!works || ended === undefined || actions?.status === 'completed') return;
  // Its end was decided before.
  if ((condemnedAt.get(String(actions?.inputs.operation)) ?? ended) < ended) return;
  if (world.now - ended < GRACE_MS)
    broken.push(`R-9: job ${works.job} of ${works.run} was cancelled ${world.now - ended} ms after the end`);
}
