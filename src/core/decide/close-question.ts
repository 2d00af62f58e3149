import type { Effect } from '../contracts/effect.ts';
import type { Escalation, EscalationStatus } from '../contracts/escalation.ts';
import type { CommandInput } from '../contracts/input.ts';
import type { RunEvent, RunStatus } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { Decision } from './decision.ts';
import { expiryOf } from './expiry.ts';
import { finishRun } from './finish-run.ts';
import { recordResponse } from './record-response.ts';

/** The events of an answer: the response, then the status it gives to the question. */
export function resolveQuestion(
  pending: Escalation,
  input: CommandInput,
  status: EscalationStatus,
): RunEvent[] {
  const { at, by } = input;
  return [
    recordResponse(pending, input),
    { type: 'escalation_resolved', at, escalation: pending.id, status, by },
  ];
}

export function closingEffects(pending: Escalation): Effect[] {
  return [
    { type: 'clear_timer', timer: `reminder:${pending.id}` },
    { type: 'close_question', escalation: pending.id },
    { type: 'update_status' },
  ];
}

/** Decides an answer that ends the run: accept, cancel or terminate. */
export function endRun(
  pending: Escalation,
  input: CommandInput,
  status: EscalationStatus,
  end: { status: RunStatus; reason: string },
): Decision {
  const finished = finishRun({ ...end, partial: true, at: input.at, by: input.by });
  return {
    events: [...resolveQuestion(pending, input, status), ...finished.events],
    effects: [...closingEffects(pending), ...finished.effects],
  };
}

/** Ends the run and its question without an answer, for example because the time to answer has expired. */
export function closeUnanswered(
  pending: Escalation,
  { at, by }: { at: string; by: string },
  finished: Decision,
): Decision {
  const status = 'resolved_with_termination' as const;
  return {
    events: [{ type: 'escalation_resolved', at, escalation: pending.id, status, by }, ...finished.events],
    effects: [...closingEffects(pending), ...finished.effects],
  };
}

export function howToContinue(state: RunState, pausedAt: string): string {
  const expiry = expiryOf(state, pausedAt);
  const until = expiry ? ` Otherwise the run expires on ${expiry.slice(0, 10)}.` : '';
  return `Resume with \`/continue\`.${until}`;
}
