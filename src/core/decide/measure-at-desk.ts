import type { Measured } from '../contracts/envelope.ts';
import type { EscalationContext } from '../contracts/escalation.ts';
import type { Occurrence } from '../contracts/guard.ts';
import type { Rules } from '../contracts/rules.ts';
import { countedTokens } from '../contracts/run-event.ts';
import { filesOfRun, lastVerification, type RunState } from '../contracts/run-state.ts';
import { score } from '../contracts/verification.ts';
import { lastOutputOf } from './last-output.ts';

const ERRORS_KEPT = 3;
const FAILING_SHOWN = 20;

/** The measurements after a fresh job's result, taken from the desk's own record because no job is there to measure. */
export function measureAtDesk(state: RunState, at: string, rules: Rules): Measured {
  const { metrics, guards, turn } = state;
  const limits = rules.limitsInForce(state.limits);
  // V-1: between rounds nothing limits turns and time, of which there are those of all rounds.
  const { turns, minutes } = state.began && !state.revision ? { turns: null, minutes: null } : limits;
  const last = lastVerification(state);
  const output = last && lastOutputOf(at, last);
  const context: EscalationContext = {
    turn,
    max_turns: turns,
    active_ms: state.active_ms,
    max_runtime_ms: minutes && minutes * 60_000,
    files: filesOfRun(state),
    max_files: limits.files,
    cost_usd: state.usage.cost_usd,
    tokens: countedTokens(state.usage),
    max_cost: limits.cost ?? undefined,
    baseline: state.baseline && { turn: 0, ...score(state.baseline) },
    pass_rates: [
      ...state.turns.flatMap((record) =>
        record.verification ? [{ turn: record.turn, ...score(record.verification) }] : [],
      ),
      ...(state.fresh ? [{ turn, ...score(state.fresh) }] : []),
    ],
    failing: (last?.tests?.failing ?? []).slice(0, FAILING_SHOWN),
    progress: state.last_read?.report?.partial_progress ?? undefined,
    last_output:
      output && state.fresh ? { ...output, result: `${output.result}, on a clean checkout` } : output,
    errors: freshErrors(state, at),
    recent_actions: (state.fresh?.checks ?? []).map((check) => ({
      turn,
      at,
      title: `${check.command}, run by Autobuild on a clean checkout`,
      ok: check.ok,
      result: check.ok ? 'passed' : `exit ${check.exit_code ?? 'by a signal'}`,
    })),
    metrics,
  };
  return { guards, metrics, context };
}

function freshErrors({ fresh, turn }: RunState, at: string): Occurrence[] {
  const errors = (fresh?.checks ?? []).flatMap((check) =>
    check.errors.map((error) => ({ turn, at, operation: check.command, error, remediation: [] })),
  );
  return errors.slice(0, ERRORS_KEPT);
}
