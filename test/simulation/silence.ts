import { readMarker } from '../../src/app/upsert-comment.ts';
import { isUnderWay } from '../../src/core/contracts/run-state.ts';
import type { Dispatch } from '../../src/core/ports/dispatches.ts';
import type { Hub } from './desk.ts';
import { BOT } from './fake-github.ts';
import { LOOK_MS, WATCH_MS } from './world.ts';

/** What failed before the calm may be tried again this much later. */
const TROUBLE_MS = 600_000;
/** R-5's 180 s, with looks of the desk that come later here than every second and every ten. */
const SHOWN_MS = 180_000 + LOOK_MS + WATCH_MS;
/** So soon after its word a job is shown as back. */
export const BACK_MS = 10_000 + LOOK_MS + WATCH_MS;
const HEARD_MS = 60_000;

/** a job that works and says nothing is shown as silent. */
export async function checkSilence(hub: Hub, actionsRun: number): Promise<void> {
  const works = await findWorking(hub, actionsRun);
  if (!works || works.silentMs < SHOWN_MS || isShownSilent(hub, works.run)) return;
  hub.broken.push(
    `R-5: job ${works.job} of ${works.run} said nothing for ${works.silentMs} ms, and nobody sees it`,
  );
}

/** a job that was silent and is heard again is shown as back. */
export async function checkBack(hub: Hub, actionsRun: number, backAt: number): Promise<void> {
  const works = await findWorking(hub, actionsRun);
  if (!works || backAt < calmFrom(hub) || works.silentMs > HEARD_MS || !isShownSilent(hub, works.run)) return;
  hub.broken.push(`R-5: job ${works.job} of ${works.run} is back, and is shown as silent`);
}

/** Undefined unless the job is the one that works for its run, and nothing has failed for a while. */
async function findWorking(
  hub: Hub,
  actionsRun: number,
): Promise<(Pick<Dispatch, 'run' | 'job'> & { silentMs: number }) | undefined> {
  const { store, world } = hub;
  if (world.now < calmFrom(hub)) return undefined;
  const dispatch = await store.dispatches.ofActionsRun(actionsRun);
  if (!dispatch?.working_at || dispatch.ended_at || dispatch.outcome !== undefined) return undefined;
  const { run, job, heard_at, working_at } = dispatch;
  const { state } = await store.runs.load(run);
  if (!state?.job_live || state.jobs !== job || !isUnderWay(state)) return undefined;
  return { run, job, silentMs: world.now - Date.parse(heard_at ?? working_at) };
}

function calmFrom({ calmAt = Number.POSITIVE_INFINITY }: Hub): number {
  return calmAt + TROUBLE_MS;
}

function isShownSilent({ github }: Hub, run: string): boolean {
  return [...github.comments.values()].some(
    ({ body, author }) =>
      author === BOT && readMarker(body)?.op === `${run}.status` && body.includes('No sign of life'),
  );
}
