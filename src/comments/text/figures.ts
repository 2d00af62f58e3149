import type { EscalationContext } from '../../core/contracts/escalation.ts';
import type { PassRate, RunLimit, Trigger } from '../../core/contracts/guard.ts';
import { firstBaseline, type RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { costFigure } from './cost-figure.ts';
import { renderSparkline } from './sparkline.ts';
import { minutes } from './words.ts';

/** One number beside its limit. */
interface Figure {
  name: string;
  value: string;
  tripped: boolean;
}

/** Limits whose figures are always listed. */
const ALWAYS_LISTED: ReadonlySet<RunLimit | undefined> = new Set(['turns', 'minutes', 'files', 'cost']);

// Counters and figures also get into summaries and tables where nothing is escaped, so they have to be plain.
const COUNTER = /^[a-z][a-z ]{0,39}$/i;
const FIGURE = /^\$?[\d.]{1,20}(?: [kM])?(?:\/[\d.]{1,20}(?: [kM])?)?(?: [a-z]{1,12})?$/;

/** Records of older versions have only the guard's id. */
export function counterOf({ shown, guard }: Trigger): string {
  if (shown && COUNTER.test(shown.counter)) return shown.counter;
  return guard.charAt(0).toUpperCase() + guard.slice(1).replaceAll('_', ' ');
}

/** `3/3`, `$3.10/3.00`, `60/60 min` */
export function observedOf({ shown, observed, threshold }: Trigger): string {
  return shown && FIGURE.test(shown.figure) ? shown.figure : withLimit(observed, threshold);
}

/** The run's figures at the stop, with those that tripped (G-5). */
export function figuresOf(context: EscalationContext, triggers: readonly Trigger[]): Figure[] {
  const tripped = new Set(triggers.map(({ run_limit }) => run_limit));
  // Several triggers have a table of their own.
  const own = (triggers.length > 1 ? [] : triggers)
    .filter(({ kind, run_limit }) => kind !== 'blocker_type' && !ALWAYS_LISTED.has(run_limit))
    .map((trigger) => ({ name: counterOf(trigger), value: observedOf(trigger), tripped: true }));
  const last = context.pass_rates.at(-1) ?? context.baseline;
  const spent = costFigure(context, context.max_cost);
  const cost = triggers.find(({ run_limit }) => run_limit === 'cost');
  const { of_round } = context;
  const { turn, max_turns, active_ms } = of_round ?? context;
  const figures: (Figure | undefined)[] = [
    of_round && { name: 'Round', value: String(of_round.number), tripped: false },
    {
      name: 'Turn',
      value: withLimit(turn, max_turns),
      tripped: tripped.has('turns'),
    },
    {
      name: 'Time',
      value: `${withLimit(minutes(active_ms), context.max_runtime_ms && minutes(context.max_runtime_ms))} min`,
      tripped: tripped.has('minutes'),
    },
    ...own,
    last && { name: unitName(last), value: `${last.passed}/${last.total}`, tripped: false },
    {
      name: 'Files',
      value: withLimit(context.files, context.max_files),
      tripped: tripped.has('files'),
    },
    cost
      ? { name: 'Cost', value: observedOf(cost), tripped: true }
      : spent === undefined
        ? undefined
        : { name: 'Cost', value: spent, tripped: false },
  ];
  return figures.filter((figure) => figure !== undefined);
}

export function withLimit(value: number, limit: number | null): string {
  return limit === null ? String(value) : `${value}/${limit}`;
}

export function unitName(rate: { unit: 'tests' | 'checks' }): string {
  return rate.unit === 'tests' ? 'Tests' : 'Checks';
}

/** A better pass rate of fewer tests is no progress, so the comment mentions the lower number. */
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
    { turn: 0, verification: firstBaseline(state) },
    ...state.turns.map(({ turn, verification }) => ({ turn, verification })),
  ];
  return all.flatMap(({ turn, verification }) => (verification ? [{ turn, ...score(verification) }] : []));
}
