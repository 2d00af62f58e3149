import type { Claim, Envelope, Measured } from '../contracts/envelope.ts';
import type { RunState } from '../contracts/run-state.ts';

/** Two clocks differ, and a message takes its time: this much is no lie. */
const DRIFT = 1.05;
const SLACK_MS = 60_000;

/** By the desk's clock: who has one of his own may set it to anything, but has not worked for longer than he is there. */
export function holdToClock({ job_began }: RunState, envelope: Envelope, at: string): Envelope {
  if (!job_began) return { ...envelope, at };
  const elapsed = Date.parse(at) - Date.parse(job_began.at);
  const most = job_began.active_ms + elapsed * DRIFT + SLACK_MS;
  return { ...envelope, at, active_ms: Math.min(envelope.active_ms, most) };
}

type Said = Exclude<Claim, { type: 'job_started' }>;

/** Turn numbers and totals are the desk's: a job can neither leap ahead nor go back. */
export function holdToDesk(state: RunState, given: Envelope, claim: Said): [Envelope, Said] {
  const turn = Math.min(Math.max(given.turn, state.turn, 1), state.turn + 1);
  const envelope = { ...given, turn, active_ms: Math.max(given.active_ms, state.active_ms) };
  return [envelope, holdClaim(state, envelope, claim)];
}

function holdClaim(state: RunState, envelope: Envelope, claim: Said): Said {
  switch (claim.type) {
    case 'baseline_recorded':
      return { ...claim, data: { ...claim.data, measured: hold(state, envelope, claim.data.measured) } };
    case 'tripped':
      return { ...claim, data: { ...claim.data, measured: hold(state, envelope, claim.data.measured) } };
    case 'turn_ended': {
      const { record, measured } = claim.data;
      const { verification } = record;
      const at = verification && verification.at < envelope.at ? verification.at : envelope.at;
      return {
        ...claim,
        data: {
          ...claim.data,
          // Nobody is shown a result from the future. Which one is newest, the order of events says, not this time.
          record: { ...record, turn: state.turn, verification: verification && { ...verification, at } },
          measured: hold(state, envelope, measured),
        },
      };
    }
    default:
      return claim;
  }
}

function hold(state: RunState, { active_ms }: Envelope, measured: Measured): Measured {
  const { context } = measured;
  const active = Math.min(Math.max(context.active_ms, state.active_ms), active_ms);
  return {
    ...measured,
    context: { ...context, turn: Math.min(context.turn, state.turn), active_ms: active },
  };
}
