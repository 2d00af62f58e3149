import { DESCRIBE_TIMER } from '../../core/decide/decide.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';

interface RemarksChanged {
  repo_id: number;
  /** The number of the pull request. */
  number: number;
  /** The id of the delivery. */
  seen: string;
}

/** A reviewer resolves many threads one after the other, and the description is written once for those within this time. */
const GATHER_MS = 10_000;

/** V-2: remarks were edited, deleted, dismissed or resolved, so the box has to count the open ones again. */
export async function onRemarksChanged(
  deps: AppDependencies,
  { repo_id, number, seen }: RemarksChanged,
): Promise<void> {
  const run = await deps.store.publications.ofPull(repo_id, number);
  const state = run === undefined ? undefined : (await deps.store.runs.load(run)).state;
  if (run === undefined || state?.status !== 'reviewing') return;
  // The same moment for all of them: one that moved with each event might never come. By the database's clock, because a timer is
  // set in vain to a time at which it has fired already, which a desk whose clock is behind would do.
  const ms = (Math.floor((await deps.store.now()).getTime() / GATHER_MS) + 1) * GATHER_MS;
  const at = new Date(ms).toISOString();
  await write(deps, run, [{ type: 'set_timer', timer: DESCRIBE_TIMER, at }], [`remarks-changed:${seen}`]);
}
