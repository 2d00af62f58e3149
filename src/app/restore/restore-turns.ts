import type { CursorValues } from '../../core/ports/cursors.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';

const HOUR_MS = 3_600_000;

/**
 * How often something of ours is restored in an hour at most, by what happened to it. People take long to do that so often. A
 * comment that was deleted comes back as a new one, of which GitHub notifies people.
 */
const MOST = { app: 1, person: 10, deleted: 10, unlabelled: 10 };

export type RestoreCause = keyof typeof MOST;

/** In hours. */
const LONGEST_WAIT = 4;

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
 * looked at again later, because nothing else may happen to it. The hour is the database's, as the timer is.
 */
export async function turnToRestore(
  deps: AppDependencies,
  run: string,
  what: string,
  because: RestoreCause,
): Promise<string | undefined> {
  const { store, log } = deps;
  const hour = Math.floor((await store.now()).getTime() / HOUR_MS);
  const pace = await paceOf(store, what, because, hour);
  for (let turn = 1; pace.from <= hour && turn <= pace.turns; turn += 1) {
    const key = keyOf(what, because, hour, turn);
    if (!(await store.runs.wasSeen(key))) return key;
  }
  const next = pace.from <= hour ? { ...slower(pace), from: hour + pace.wait } : pace;
  const at = new Date(next.from * HOUR_MS).toISOString();
  log.warn({ what, because, until: at }, 'it is changed again and again, so it is left as it is for now');
  await write(
    deps,
    run,
    [{ type: 'set_timer', timer: `${TIMER}${what}`, at }],
    [`restore-later:${what}:${because}:${hour}`],
  );
  // After the timer, so that a desk that is killed in between sets it when it comes here again.
  await store.cursors.set('restored', `${what}:${because}`, next);
  return undefined;
}

type Pace = CursorValues['restored'];

/**
 * Each hour in a row in which something was restored, or left for want of a turn, has half the turns of the one before. Below one,
 * the wait for the next one doubles instead. After an hour in which it stayed as we had written it, all turns are there again.
 */
function slower({ turns, wait }: Pace): Omit<Pace, 'from'> {
  return turns > 1
    ? { turns: Math.floor(turns / 2), wait }
    : { turns, wait: Math.min(wait * 2, LONGEST_WAIT) };
}

/** The turns of this hour. None are left for it if they begin later. */
async function paceOf(
  { cursors, runs }: AppDependencies['store'],
  what: string,
  because: RestoreCause,
  hour: number,
): Promise<Pace> {
  const full = { turns: MOST[because], wait: 1 };
  const last = (await cursors.get('restored', `${what}:${because}`)) ?? { ...full, from: 0 };
  if (last.from >= hour) return last;
  const wasRestored = await runs.wasSeen(keyOf(what, because, hour - 1, 1));
  const pace = { ...(wasRestored ? slower(last) : full), from: hour };
  await cursors.set('restored', `${what}:${because}`, pace);
  return pace;
}

function keyOf(what: string, because: RestoreCause, hour: number, turn: number): string {
  return `restore-turn:${what}:${because}:${hour}:${turn}`;
}
