import type { Effect } from '../contracts/effect.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A question expires by the timer of its reminders. A pause has no reminders and needs its own timer. */
export const PAUSE_TIMER = 'expiry:pause';

/** The time at which a run that has waited since `since` ends by itself. Undefined, the default: never (P-10). */
export function expiryOf({ reminders }: Pick<RunState, 'reminders'>, since: string): string | undefined {
  if (reminders.expire_ms === undefined) return undefined;
  return new Date(Date.parse(since) + reminders.expire_ms).toISOString();
}

export function pauseExpiry(state: Pick<RunState, 'reminders' | 'paused'>): string | undefined {
  return state.paused?.since && expiryOf(state, state.paused.since);
}

export function isExpired(expiry: string | undefined, at: string): boolean {
  return expiry !== undefined && Date.parse(at) >= Date.parse(expiry);
}

export function setPauseTimer(state: RunState, at: string): Effect[] {
  const expiry = expiryOf(state, at);
  return expiry ? [{ type: 'set_timer', timer: PAUSE_TIMER, at: expiry }] : [];
}

/** Clears the timer if the events continue the paused run or end it. */
export function clearPauseTimer(state: RunState, events: RunEvent[]): Effect[] {
  const ends = events.some(({ type }) => type === 'answer_prepared' || type === 'run_finished');
  return ends && pauseExpiry(state) ? [{ type: 'clear_timer', timer: PAUSE_TIMER }] : [];
}

/** `14 days`, `36 hours`, `90 minutes` */
export function spanInWords(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours`;
  const minutes = Math.floor(ms / MINUTE_MS);
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}
