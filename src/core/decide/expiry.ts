import type { Effect } from '../contracts/effect.ts';
import type { Escalation } from '../contracts/escalation.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Reminders become no rarer than this, unless the config asks for rarer ones from the start. */
const RAREST_MS = { normal: 7 * DAY_MS, high: DAY_MS };

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

/** The time of the next reminder, or of the expiry if that is earlier (P-10). */
export function reminderTime(
  state: Pick<RunState, 'reminders'>,
  escalation: Pick<Escalation, 'priority' | 'created_at' | 'reminders'>,
  after: string,
): string {
  const next = new Date(Date.parse(after) + reminderWait(state, escalation)).toISOString();
  const expiry = expiryOf(state, escalation.created_at);
  return expiry && expiry < next ? expiry : next;
}

/** E-12: each reminder that nobody answers doubles the time until the next one. */
export function reminderWait(
  { reminders: plan }: Pick<RunState, 'reminders'>,
  { priority, reminders }: Pick<Escalation, 'priority' | 'reminders'>,
): number {
  const first = priority === 'high' ? plan.high_every_ms : plan.every_ms;
  return Math.min(first * 2 ** reminders, Math.max(first, RAREST_MS[priority]));
}
