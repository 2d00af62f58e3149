import type { Brief } from '../../contracts/brief.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { score } from '../../contracts/verification.ts';

export function briefFor(state: RunState): Brief {
  const { run, task, agent, checks, known_errors, limits, limits_rev, turn, baseline } = state;
  const { guards, metrics, active_ms, usage, changes } = state;
  return {
    run,
    job: state.jobs + 1,
    task,
    agent,
    checks,
    known_errors,
    limits,
    limits_rev,
    turn,
    baseline,
    pass_rates: state.turns.flatMap(({ turn: number, verification }) =>
      verification ? [{ turn: number, ...score(verification) }] : [],
    ),
    guards,
    metrics,
    active_ms,
    usage,
    changes,
    round: state.revision?.number,
    lines: linesOf(state),
  };
}

/** A round counts from its head, so that its first turn begins with nothing. At a terminal all count from the run's beginning. */
function linesOf({ turns, revision }: RunState): Brief['lines'] {
  const counted = revision?.head === undefined ? turns : turns.slice(revision.before.turns);
  const { added, removed } = counted.at(-1)?.changes ?? { added: 0, removed: 0 };
  return { added, removed };
}
