import type { Claim, Envelope, Measured } from '../contracts/envelope.ts';
import type { TurnKind } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import { nextTurn } from './orders/orders-for.ts';

/** Tolerance for clock drift and for the time a message travels. */
const DRIFT = 1.05;
const SLACK_MS = 60_000;

/** Uses the desk's clock, because a job can set its own to anything. No job has worked longer than it has existed. */
export function clampToClock({ job_began }: RunState, envelope: Envelope, at: string): Envelope {
  if (!job_began) return { ...envelope, at };
  const elapsed = Date.parse(at) - Date.parse(job_began.at);
  const most = job_began.active_ms + elapsed * DRIFT + SLACK_MS;
  return { ...envelope, at, active_ms: Math.min(envelope.active_ms, most) };
}

type LiveClaim = Exclude<Claim, { type: 'job_started' }>;

/** The desk owns turn numbers and totals, so a job can neither skip turns, nor go back, nor repeat one that has ended. */
export function clampToDesk(state: RunState, given: Envelope, claim: LiveClaim): [Envelope, LiveClaim] {
  const turn = claim.type === 'turn_started' ? nextTurn(state, kindOf(state, claim.data.kind)) : state.turn;
  const envelope = { ...given, turn, active_ms: Math.max(given.active_ms, state.active_ms) };
  return [envelope, clampData(state, envelope, claim)];
}

/** G-8: debugging turns are not counted, so there is one only where a person has asked for it. */
function kindOf({ debug, turn_open, turn_kind }: RunState, claimed: TurnKind): TurnKind {
  const isAsked = debug !== undefined || (turn_open && turn_kind === 'debug');
  return isAsked ? claimed : 'normal';
}

function clampData(state: RunState, envelope: Envelope, claim: LiveClaim): LiveClaim {
  switch (claim.type) {
    case 'baseline_recorded':
      return {
        ...claim,
        data: { ...claim.data, measured: clampMeasured(state, envelope, claim.data.measured) },
      };
    case 'tripped':
      return {
        ...claim,
        data: { ...claim.data, measured: clampMeasured(state, envelope, claim.data.measured) },
      };
    case 'turn_started':
      return { ...claim, data: { ...claim.data, kind: kindOf(state, claim.data.kind) } };
    case 'turn_ended': {
      const { record, measured } = claim.data;
      const { verification } = record;
      const kind = kindOf(state, record.kind);
      const at = verification && verification.at < envelope.at ? verification.at : envelope.at;
      return {
        ...claim,
        data: {
          ...claim.data,
          // A result must not be from the future. This time is only shown; the order of events says which result is newest.
          record: {
            ...record,
            kind,
            turn: nextTurn(state, kind),
            verification: verification && { ...verification, at },
          },
          measured: clampMeasured(state, envelope, measured),
        },
      };
    }
    default:
      return claim;
  }
}

function clampMeasured(state: RunState, { active_ms }: Envelope, measured: Measured): Measured {
  const { context } = measured;
  const active = Math.min(Math.max(context.active_ms, state.active_ms), active_ms);
  return {
    ...measured,
    context: { ...context, turn: Math.min(context.turn, state.turn), active_ms: active },
  };
}
