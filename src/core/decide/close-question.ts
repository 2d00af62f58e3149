import type { Effect } from '../contracts/effect.ts';
import type { Escalation, EscalationStatus } from '../contracts/escalation.ts';
import type { CommandInput } from '../contracts/input.ts';
import type { RunEvent, RunStatus } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { Decision } from './decision.ts';
import { expiryOf, setPauseTimer } from './expiry.ts';
import { finishRun } from './finish-run.ts';
import { recordResponse } from './record-response.ts';
import { replyTo } from './reply-to.ts';

/** The response and its consequence for the question, in the journal's order. */
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

/** An answer that ends the run: accept, cancel, terminate. */
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

/** The run ends by something else than an answer, and its question with it. */
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

export function cancelReason({ by, because }: CommandInput): string {
  return because ? `cancelled by ${by}: ${because}` : `cancelled by ${by}`;
}

/** G-12: the question is settled, the run waits; what tripped starts again when it goes on. */
export function pauseRun(state: RunState, pending: Escalation, input: CommandInput): Decision {
  const { at, by } = input;
  return {
    events: [
      ...resolveQuestion(pending, input, 'resolved'),
      { type: 'run_paused', at, by, rearm: pending.rearm },
    ],
    effects: [
      ...closingEffects(pending),
      ...setPauseTimer(state, at),
      replyTo(input, {
        tone: 'taken',
        title: 'Paused: the work is saved.',
        detail: `${howToGoOn(state, at)} No reminders until then.`,
      }),
    ],
  };
}

export function howToGoOn(state: RunState, pausedAt: string): string {
  const expiry = expiryOf(state, pausedAt);
  const until = expiry ? ` Without it the run closes by itself on ${expiry.slice(0, 10)}.` : '';
  return `\`/continue\` goes on from here.${until}`;
}
