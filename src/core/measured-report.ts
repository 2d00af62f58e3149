import type { BlockedReport, BlockerCategory } from './contracts/agent/blocked-report.ts';
import type { Escalation, EscalationContext } from './contracts/escalation.ts';
import type { Evidence, Trigger } from './contracts/guard.ts';

const TEXT_KEPT = 2_000;
const RAW_KEPT = 64 * 1024;
const FAILING_SHOWN = 20;

/** Replaces the player's own report (B-7). It has the same four parts, filled with figures and marked as measured. */
export interface MeasuredReport extends BlockedReport {
  measured_by: 'autobuild';
  measured: Pick<
    EscalationContext,
    'turn' | 'max_turns' | 'active_ms' | 'files' | 'cost_usd' | 'failing' | 'pass_rates' | 'metrics'
  >;
  /** Why the player's report could not be used, and its text. */
  report_problems?: NonNullable<Escalation['report_missing']>['problems'];
  report_as_it_came?: string;
  /** The player's newest report from before this stop. */
  earlier_report?: BlockedReport;
}

interface ReportFacts {
  headline: string;
  /** Missing in escalations of older versions. */
  category?: BlockerCategory;
  triggers: readonly Trigger[];
  context: EscalationContext;
  missing?: Escalation['report_missing'];
  earlier?: BlockedReport;
}

export function measureReport(facts: ReportFacts): MeasuredReport {
  const { triggers, context, missing, earlier } = facts;
  const { turn, max_turns, active_ms, files, cost_usd, failing, pass_rates, metrics } = context;
  return {
    blocking_issues: issuesOf(facts),
    attempts_made: attemptsOf(context),
    suggested_alternatives: [],
    human_action_required: actionOf(triggers, missing),
    measured_by: 'autobuild',
    measured: { turn, max_turns, active_ms, files, cost_usd, failing, pass_rates, metrics },
    ...(missing?.problems.length ? { report_problems: missing.problems } : {}),
    ...(missing?.raw ? { report_as_it_came: missing.raw.slice(0, RAW_KEPT) } : {}),
    ...(earlier ? { earlier_report: earlier } : {}),
  };
}

function actionOf(triggers: readonly Trigger[], missing: Escalation['report_missing']): string {
  const atLimit = triggers.some(({ run_limit }) => run_limit === 'turns');
  const fields = missing?.problems.length ?? 0;
  const sentence = {
    none: 'The agent did not report why it is stuck.',
    invalid: `The agent's report is invalid: ${fields === 1 ? '1 field has' : `${fields} fields have`} a wrong value.`,
    died: `The agent's process ended (${missing?.exit ?? 'no exit code'}) before it wrote a report.`,
  }[missing?.kind ?? 'none'];
  const help = triggers.find(({ evidence }) => evidence.help)?.evidence.help;
  const reason = triggers.find(({ evidence }) => evidence.review_reason)?.evidence.review_reason;
  return [
    atLimit ? 'Max turns exceeded. Human intervention required.' : 'Human intervention required.',
    `${sentence} This report is only what Autobuild measured.`,
    ...(help ? [`It asked for: ${cut(help.what_i_need)}`] : []),
    ...(reason ? [`It asked for a review: ${cut(reason)}`] : []),
  ].join('\n');
}

/** The reason of the stop first, then the failures seen last. */
function issuesOf({ headline, category, triggers, context }: ReportFacts): BlockedReport['blocking_issues'] {
  const { errors, failing } = context;
  const figures = triggers.map(
    ({ guard, observed, threshold, evidence }) =>
      `${guard}: ${observed}${threshold === null ? '' : ` of ${threshold}`}${placesOf(evidence)}`,
  );
  return [
    { issue: cut(headline), category: category ?? 'test_failure', details: figures.join('\n') },
    ...errors.map(({ error, operation, turn }) => ({
      issue: cut(error.message),
      location: error.file ? `${error.file}${error.line ? `:${error.line}` : ''}` : undefined,
      category: 'test_failure' as const,
      details: `${cut(operation)}, turn ${turn}`,
    })),
    ...(failing.length > 0
      ? [
          {
            issue: `${failing.length} failing ${failing.length === 1 ? 'test' : 'tests'}`,
            category: 'test_failure' as const,
            details: failing.slice(0, FAILING_SHOWN).map(cut).join('\n'),
          },
        ]
      : []),
  ];
}

function placesOf({ proposed = [] }: Evidence): string {
  return proposed.length > 0 ? ` (${proposed.map(({ path }) => path).join(', ')})` : '';
}

/** One attempt per verified turn. A turn that was not verified is listed by its actions. */
function attemptsOf({
  pass_rates,
  recent_actions,
  errors,
}: EscalationContext): BlockedReport['attempts_made'] {
  const verified = pass_rates
    .filter(({ turn }) => turn > 0)
    .map(({ turn, passed, total, unit }) => {
      const done = recent_actions.filter((action) => action.turn === turn).map(({ title }) => title);
      const failure = errors.find((error) => error.turn === turn)?.error.message;
      return {
        turn,
        action: cut(done.join('; ')) || 'worked on the task',
        result: passed === total ? 'Success' : `${passed} of ${total} ${unit} pass`,
        ...(failure ? { why_failed: cut(failure) } : {}),
      };
    });
  const known = new Set(verified.map(({ turn }) => turn));
  const others = recent_actions
    .filter(({ turn }) => turn > 0 && !known.has(turn))
    .map(({ turn, title, ok, result }) => ({
      turn,
      action: cut(title) || 'an action',
      result: ok ? 'Success' : cut(result),
    }));
  return [...verified, ...others];
}

function cut(text: string): string {
  return text.length > TEXT_KEPT ? `${text.slice(0, TEXT_KEPT)}…` : text;
}
