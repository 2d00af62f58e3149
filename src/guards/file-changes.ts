import * as z from 'zod';
import { ActionRecord, type Guard, type GuardEvent } from '../core/contracts/guard.ts';
import { limitSchema } from './counting/limit-schema.ts';
import {
  acceptCurrent,
  debugFirst,
  orderOptions,
  review,
  terminate,
  tryDifferently,
} from './words/options.ts';
import { HINT_FIRST, joinHeadline, oneLine, plural } from './words/wording.ts';

const RECORDS_KEPT = 20;
const MAX_THRESHOLD = 1000;
const UNITS = { attempt: 'attempt', tool_call: 'tool call', turn: 'turn' } as const;
type Unit = keyof typeof UNITS;

const threshold = z.number().int().min(1).max(MAX_THRESHOLD);
interface Limit {
  threshold: number;
  unit: Unit;
}
const NoFileChangesLimit: z.ZodType<Limit> = z.union([
  threshold.transform((count) => ({ threshold: count, unit: 'attempt' as const })),
  z.strictObject({
    threshold,
    unit: z.enum(Object.keys(UNITS) as [Unit, ...Unit[]]).default('attempt'),
  }),
]);
const allowed = `a whole number from 1 to ${MAX_THRESHOLD}, \`{threshold: N, unit: attempt | tool_call | turn}\`, or \`off\``;

const Tally = z.object({ count: z.number(), records: z.array(ActionRecord) });
type Tally = z.infer<typeof Tally>;

/** Counts all three units, because only the limit says which one matters. */
const FileChangesState = z.object({
  attempt: Tally,
  tool_call: Tally,
  turn: Tally,
  /** Whether the current turn had an attempt. A turn without one counts as an attempt itself. */
  turn_counted: z.boolean(),
  turn_changed: z.boolean(),
  debugging: z.boolean(),
});
type FileChangesState = z.infer<typeof FileChangesState>;

const none: Tally = { count: 0, records: [] };
const nothing = { attempt: none, tool_call: none, turn: none };
const initial: FileChangesState = { ...nothing, turn_counted: false, turn_changed: false, debugging: false };

/** E-3 */
export const noFileChangesAfterAttempts: Guard<FileChangesState, Limit> = {
  id: 'no_file_changes_after_attempts',
  trips: 'this many attempts in a row change no file.',
  names: 'symptom',
  header: 'No File Changes',
  counter: 'Without a file change',
  hint: HINT_FIRST,
  category: 'test_failure',
  type: 'progress_stall',
  kind: 'attempt_count',
  config: limitSchema(NoFileChangesLimit, allowed, { threshold: 5, unit: 'attempt' }),
  allowed,
  initial,
  state: FileChangesState,
  reduce(state, event) {
    switch (event.type) {
      case 'agent_changed':
        return initial;
      case 'rearmed':
        return event.guards.includes('no_file_changes_after_attempts') ? { ...state, ...nothing } : state;
      case 'turn_started':
        return { ...state, turn_counted: false, turn_changed: false, debugging: event.counted === false };
      case 'files_changed':
        return event.paths.length > 0 ? { ...state, ...nothing, turn_changed: true } : state;
      case 'action_ended':
        // The prompt of a debugging turn forbids changes.
        return state.debugging ? state : addAction(state, event);
      case 'turn_ended':
        return addTurn(state, event);
      default:
        return state;
    }
  },
  check(state, { threshold, unit }) {
    const { count, records } = state[unit];
    if (count < threshold) return undefined;
    return {
      guard: 'no_file_changes_after_attempts',
      kind: 'attempt_count',
      threshold,
      observed: count,
      evidence: { attempts: records, unit },
    };
  },
  headline({ observed, evidence }) {
    const counted = plural(observed, UNITS[(evidence.unit as Unit | undefined) ?? 'attempt']);
    return joinHeadline(`${counted} changed no file`, undefined, 'a hint would help');
  },
  question({ observed, evidence }) {
    const counted = plural(observed, UNITS[(evidence.unit as Unit | undefined) ?? 'attempt']);
    const last = oneLine(evidence.attempts?.at(-1)?.title ?? '');
    return `${counted} in a row changed no file${last && `, the last one: "${last}"`}. How to proceed?`;
  },
  why({ evidence }) {
    const last = oneLine(evidence.attempts?.at(-1)?.title ?? '');
    return last && `The last one: "${last}"`;
  },
  options({ evidence }, progress) {
    const turns = (evidence.attempts ?? []).map((attempt) => attempt.turn);
    return orderOptions([tryDifferently(turns), debugFirst, acceptCurrent(progress), review, terminate]);
  },
};

export function countAttemptsWithoutChange(state: FileChangesState): number {
  return state.attempt.count;
}

function addAction(state: FileChangesState, event: GuardEvent & { type: 'action_ended' }): FileChangesState {
  const { turn, at, ok, refused, kind, is_check } = event;
  const result = refused ? 'refused' : ok ? 'ok' : oneLine(event.errors[0]?.message ?? 'failed');
  const record = { turn, at, title: oneLine(event.title || event.operation), ok: ok && !refused, result };
  const called = { ...state, tool_call: add(state.tool_call, record) };
  const isAttempt = (kind === 'edit' && (!ok || refused)) || (kind === 'command' && !ok) || is_check;
  if (!isAttempt) return called;
  return { ...called, attempt: add(state.attempt, record), turn_counted: true };
}

function addTurn(state: FileChangesState, event: GuardEvent & { type: 'turn_ended' }): FileChangesState {
  const ended = { ...state, turn_counted: false, turn_changed: false, debugging: false };
  if (!event.counted || state.turn_changed) return ended;
  const { turn, at } = event;
  const title = oneLine(event.title) || `turn ${turn}`;
  const record = { turn, at, title, ok: true, result: 'no file changed' };
  return {
    ...ended,
    turn: add(state.turn, record),
    attempt: state.turn_counted ? state.attempt : add(state.attempt, record),
  };
}

function add({ count, records }: Tally, record: ActionRecord): Tally {
  return { count: count + 1, records: [...records, record].slice(-RECORDS_KEPT) };
}
