import type { EscalationContext } from '../../core/contracts/escalation.ts';
import type { GuardId, PassRate, Trigger } from '../../core/contracts/guard.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { isPastTheGate, isProtectedOnly } from '../../core/work/proposed-files.ts';
import { renderSparkline } from './sparkline.ts';
import { compact, minutes, money } from './words.ts';

/** One number beside its limit. */
interface Figure {
  name: string;
  value: string;
  tripped: boolean;
}

/** What a guard's counter is called where figures stand side by side. Guards without a number of their own are not here. */
const COUNTERS: Partial<Record<GuardId, string>> = {
  max_iterations: 'Turn',
  max_runtime: 'Time',
  loop_detected: 'Same result',
  consecutive_errors: 'Errors in a row',
  same_error_repeated: 'Same error',
  total_verification_attempts: 'Verifications',
  no_file_changes_after_attempts: 'No file changed',
  no_test_improvement_after: 'No better test run',
  files_modified_exceeds: 'Files',
  spec_deviation_detected: 'Outside',
  cost_exceeds: 'Cost',
};

const ALWAYS_SHOWN: ReadonlySet<GuardId> = new Set([
  'max_iterations',
  'max_runtime',
  'files_modified_exceeds',
  'cost_exceeds',
]);

export function counterName(guard: GuardId): string {
  return COUNTERS[guard] ?? guard.replaceAll('_', ' ');
}

/** The same, where what tripped decides which of the guard's counts it is. */
export function counterOf({ guard, evidence }: Trigger): string {
  if (isPastTheGate(evidence)) return 'Past the gate';
  return isProtectedOnly(evidence) ? 'To approve' : counterName(guard);
}

/** Where the run stood, the numbers that tripped among them (G-5). */
export function figuresOf(context: EscalationContext, triggers: readonly Trigger[]): Figure[] {
  const tripped = new Set(triggers.map((trigger) => trigger.guard));
  // Several limits stand in a table of their own.
  const own = (triggers.length > 1 ? [] : triggers)
    .filter((trigger) => COUNTERS[trigger.guard] && !ALWAYS_SHOWN.has(trigger.guard))
    .map((trigger) => ({ name: counterOf(trigger), value: observedOf(trigger), tripped: true }));
  const last = context.pass_rates.at(-1) ?? context.baseline;
  const cost = triggers.find((trigger) => trigger.guard === 'cost_exceeds');
  const figures: (Figure | undefined)[] = [
    {
      name: 'Turn',
      value: withLimit(context.turn, context.max_turns),
      tripped: tripped.has('max_iterations'),
    },
    {
      name: 'Time',
      value: `${withLimit(minutes(context.active_ms), context.max_runtime_ms && minutes(context.max_runtime_ms))} min`,
      tripped: tripped.has('max_runtime'),
    },
    ...own,
    last && { name: unitName(last), value: `${last.passed}/${last.total}`, tripped: false },
    {
      name: 'Files',
      value: withLimit(context.files, context.max_files),
      tripped: tripped.has('files_modified_exceeds'),
    },
    cost
      ? { name: 'Cost', value: observedOf(cost), tripped: true }
      : context.cost_usd === null
        ? undefined
        : { name: 'Cost', value: money(context.cost_usd), tripped: false },
  ];
  return figures.filter((figure) => figure !== undefined);
}

/** `3/3`, `$3.10/3.00`, `1.20 M/1.00 M tokens` */
export function observedOf(trigger: Trigger): string {
  const { threshold, observed, guard } = trigger;
  if (guard === 'cost_exceeds') {
    if (trigger.evidence.unit === 'tokens')
      return `${compact(observed)}${threshold === null ? '' : `/${compact(threshold)}`} tokens`;
    return `${money(observed)}${threshold === null ? '' : `/${threshold.toFixed(2)}`}`;
  }
  if (guard === 'max_runtime') return `${withLimit(Math.floor(observed), threshold)} min`;
  return withLimit(observed, threshold);
}

export function withLimit(value: number, limit: number | null): string {
  return limit === null ? String(value) : `${value}/${limit}`;
}

export function unitName(rate: { unit: 'tests' | 'checks' }): string {
  return rate.unit === 'tests' ? 'Tests' : 'Checks';
}

/** A better rate over fewer tests is no progress: say so. */
export function fewerTests(rates: readonly PassRate[]): string | undefined {
  const most = Math.max(0, ...rates.map((rate) => rate.total));
  const last = rates.at(-1);
  if (!last || last.total >= most) return undefined;
  return `The number of ${last.unit} fell from ${most} to ${last.total}.`;
}

export function sparklineOf(context: EscalationContext): string {
  return renderSparkline([...(context.baseline ? [context.baseline] : []), ...context.pass_rates]);
}

/** Passed and total of every verification of the run, the baseline first. */
export function ratesOf(state: RunState): PassRate[] {
  const all = [
    { turn: 0, verification: state.baseline },
    ...state.turns.map(({ turn, verification }) => ({ turn, verification })),
  ];
  return all.flatMap(({ turn, verification }) => (verification ? [{ turn, ...score(verification) }] : []));
}
