import * as z from 'zod';
import { secretKeysOf } from '../secrets/secrets-of-run.ts';
import { Answer } from './answer.ts';
import { BlockedReport } from './blocked-report.ts';
import { InputRef } from './command.ts';
import { Predecessor } from './predecessor.ts';
import { GuardLimitsSchema, KnownIssue, RunStatus, TurnKind } from './run-event.ts';
import { isFinished, lastVerification, type RunState } from './run-state.ts';
import { Verification } from './verification.ts';

/** What the desk wants the job to do next: a projection of the run, so that asking twice gives the same answer. */
export const Orders = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('work'),
    turn: z.number().int().positive(),
    kind: TurnKind,
    /** The turn was begun before and goes on: after a park, or when it was ended for an answer. */
    resumed: z.boolean(),
    agent: z.string(),
    predecessor: Predecessor.optional(),
    limits: GuardLimitsSchema,
    limits_rev: z.number().int().positive(),
    /** Patterns. */
    approved_paths: z.array(z.string()),
    /** Each by its name alone. Absent: none, or an older desk has them among the patterns. */
    approved_names: z.array(z.string()).optional(),
    answers: z.array(Answer),
    /** Every value given in this run so far. */
    inputs: z.record(z.string(), InputRef),
    /** The keys that were asked for as secrets. Absent: an older desk does not say. */
    secret_inputs: z.array(z.string()).optional(),
    guidance: z.array(z.string()),
    /** What the last verification said: the next turn's feedback. */
    feedback: Verification.optional(),
    known_issues: z.array(KnownIssue),
    blocked_report: BlockedReport.optional(),
    handoff_path: z.string().optional(),
  }),
  z.object({ do: z.literal('wait'), escalation: z.string() }),
  /** The run waits for `/continue`: save the work and end the job. */
  z.object({ do: z.literal('park') }),
  z.object({ do: z.literal('stop'), status: RunStatus }),
]);
export type Orders = z.infer<typeof Orders>;

export function ordersFor(state: RunState): Orders {
  if (isFinished(state)) return { do: 'stop', status: state.status };
  if (state.pending) return { do: 'wait', escalation: state.pending };
  if (state.paused || state.verifying !== undefined) return { do: 'park' };
  const kind = nextKind(state);
  const turn = nextTurn(state, kind);
  return {
    do: 'work',
    turn,
    kind,
    resumed: state.turn_open || (kind === 'normal' && turn === state.turn),
    agent: state.agent,
    predecessor: state.predecessor,
    limits: state.limits,
    limits_rev: state.limits_rev,
    approved_paths: state.approved_paths,
    approved_names: state.approved_names,
    answers: state.answers,
    inputs: Object.assign({}, ...state.escalations.map((escalation) => escalation.resolution?.inputs ?? {})),
    secret_inputs: [...secretKeysOf(state)],
    guidance: kind === 'debug' && state.debug ? [...state.guidance, state.debug] : state.guidance,
    feedback: lastVerification(state) ?? state.baseline,
    known_issues: state.known_issues,
    blocked_report: state.blocked_report,
    handoff_path: state.handoff_path,
  };
}

/** Only an answer that ends the turn changes what kind of turn it is: a hint for a debugging turn leaves it one. */
function nextKind(state: RunState): TurnKind {
  const ending = state.answers.findLast((answer) => answer.ends_turn);
  return ending?.next_turn ?? (state.turn_open ? state.turn_kind : 'normal');
}

/** A debugging turn carries the number of the turn it looks into; it is not an iteration of its own (G-8). */
function nextTurn(state: RunState, kind: TurnKind): number {
  if (state.turn_open || kind === 'debug') return Math.max(1, state.turn);
  // A turn that was interrupted for a debugging turn has no record of its own yet: it comes next.
  return (state.turns.findLast((record) => record.kind === 'normal')?.turn ?? 0) + 1;
}
