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

function linesOf({ turns }: RunState): Brief['lines'] {
  const { added, removed } = turns.at(-1)?.changes ?? { added: 0, removed: 0 };
  return { added, removed };
}
