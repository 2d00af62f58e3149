import type { DeskFigures, Trigger } from '../contracts/guard.ts';
import type { Rules } from '../contracts/rules.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';

const NOTHING_COUNTED: DeskFigures = { turns: 0, turns_since_word: 0, verifications: 0, idle_jobs: 0 };

export function figuresOf({ counted }: Pick<RunState, 'counted'>): DeskFigures {
  return counted ?? NOTHING_COUNTED;
}

/** counts events and never reads a figure of a job. A person's answer changes the limits, and nothing else does. */
export function countAtDesk(state: RunState, event: RunEvent): Pick<RunState, 'counted'> {
  const counted = figuresOf(state);
  switch (event.type) {
    case 'limits_changed':
    case 'revision_started':
      return { counted: { ...NOTHING_COUNTED, turns: counted.turns } };
    case 'agent_changed':
      return { counted: { ...counted, turns: 0 } };
    case 'turn_ended': {
      const { kind, verification } = event.record;
      return {
        counted: {
          turns: counted.turns + (kind === 'normal' ? 1 : 0),
          turns_since_word: counted.turns_since_word + 1,
          verifications: counted.verifications + (verification ? 1 : 0),
          idle_jobs: 0,
        },
      };
    }
    case 'verification_reported':
      return { counted: { ...counted, verifications: counted.verifications + 1 } };
    case 'job_parked':
    case 'job_handed_over':
      return { counted: { ...counted, idle_jobs: counted.idle_jobs + 1 } };
    default:
      return {};
  }
}

/** The triggers by the larger figure: the one that the job claims, or the desk's own. */
export function withOwnCount(claimed: Trigger[], state: RunState, rules: Rules): Trigger[] {
  const own = trippedAtDesk(state, rules);
  const exceeds = (trigger: Trigger, others: Trigger[]) =>
    others.every(({ guard, observed }) => guard !== trigger.guard || observed < trigger.observed);
  const larger = own.filter((trigger) => exceeds(trigger, claimed));
  return [...claimed.filter(({ guard }) => !larger.some((other) => other.guard === guard)), ...larger];
}

/** True if another turn would exceed a limit by the desk's own count. */
export function isUsedUp(state: RunState, rules: Rules): boolean {
  return rules.trippedBy(figuresOf(state), state.limits).length > 0;
}

function trippedAtDesk(state: RunState, rules: Rules): Trigger[] {
  const figures = figuresOf(state);
  // A job that worked while the answer came has not heard of it yet. Only its first turn is excused, or it would never hear.
  const unheard = figures.turns_since_word <= 1 ? rearmedUnheard(state) : new Set();
  return rules.trippedBy(figures, state.limits).filter(({ guard }) => !unheard.has(guard));
}

/** Guards that were re-armed while no job has restarted their counters yet. */
export function rearmedUnheard({ answers, delivered = [] }: RunState): Set<string> {
  return new Set([...answers, ...delivered].flatMap(({ rearm }) => rearm));
}
