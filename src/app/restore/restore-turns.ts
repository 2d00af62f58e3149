import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';

const HOUR_MS = 3_600_000;

/**
 * How often something of ours is restored in an hour, by what happened to it. People take long to do that so often. A comment that
 * was deleted comes back as a new one, of which GitHub notifies people.
 */
const MOST = { app: 1, person: 10, deleted: 10, unlabelled: 10 };

export type RestoreCause = keyof typeof MOST;

/** Begins the names of timers after which something of ours is looked at again. */
const TIMER = 'restore:';

/** The operation of a comment, or the state label of the run, that such a timer is about. Undefined: it is another timer. */
export function readRestoreTimer(timer: string): string | undefined {
  return timer.startsWith(TIMER) ? timer.slice(TIMER.length) : undefined;
}

/** The name under which the state label of a run takes its turns. */
export function labelOf(run: string): string {
  return `${run}.label`;
}

/**
 * Another App, or a program, may answer each restoring of ours with another edit, deletion or removal, for ever. So a restoring takes
 * one of the hour's turns, whose key is kept with its decision. Undefined if none is left: it stays as it is, and a timer has it
 * looked at again in the next hour, because nothing else may happen to it. The hour is the database's, as the timer is.
 */
export async function turnToRestore(
  deps: AppDependencies,
  run: string,
  what: string,
  because: RestoreCause,
): Promise<string | undefined> {
  const { store, log } = deps;
  const hour = Math.floor((await store.now()).getTime() / HOUR_MS);
  for (let turn = 1; turn <= MOST[because]; turn += 1) {
    const key = `restore-turn:${what}:${because}:${hour}:${turn}`;
    if (!(await store.runs.wasSeen(key))) return key;
  }
  log.warn({ what, because }, 'it is changed again and again, so it is left as it is for this hour');
  const at = new Date((hour + 1) * HOUR_MS).toISOString();
  await write(
    deps,
    run,
    [{ type: 'set_timer', timer: `${TIMER}${what}`, at }],
    [`restore-later:${what}:${hour}`],
  );
  return undefined;
}
