import { firstBaseline, lastVerification, type RunState } from '../../../core/contracts/run-state.ts';
import { type CheckResult, score } from '../../../core/contracts/verification.ts';
import { renderBar } from '../../text/bar.ts';
import { bothResults } from '../../text/both-results.ts';
import { ratesOf } from '../../text/figures.ts';
import { code } from '../../text/harmless.ts';
import type { Table } from '../../text/markdown.ts';
import { renderSparkline } from '../../text/sparkline.ts';

/** Every check, before the first change of the run and now. */
export function checksTable(state: RunState): Table | undefined {
  const now = lastVerification(state);
  if (!now) return undefined;
  const yours = state.with_base?.verification;
  const rows = now.checks.map(({ command, ...check }) => {
    const same = (other: CheckResult) => other.command === command;
    const before = firstBaseline(state)?.checks.find(same);
    const again = yours?.checks.find(same);
    return [
      code(command, 120),
      before ? outcome(before, false) : '',
      outcome(check, true),
      ...(yours ? [again ? outcome(again, true) : ''] : []),
    ];
  });
  return { head: ['Check, run by Autobuild', 'Before', 'Now', ...(yours ? ['With your tests'] : [])], rows };
}

function outcome({ ok, tests }: Pick<CheckResult, 'ok' | 'tests'>, marked: boolean): string {
  const mark = ok ? '✓' : '✗';
  if (!tests) return mark;
  const counts = `${tests.passed}/${tests.passed + tests.failed}`;
  return marked ? `${mark} ${counts}` : counts;
}

/** `██████░░░░ **10 of 14 tests pass**, 5 did before the first change · per turn ▃▃▅▆` */
export function renderTestBar(state: RunState): string | undefined {
  const rates = ratesOf(state);
  const newest = lastVerification(state) ?? state.baseline;
  if (!newest) return undefined;
  const last = score(newest);
  const where = state.fresh && !state.fresh.ok ? ' on a clean checkout' : '';
  const first = firstBaseline(state) && rates.length > 1 ? rates[0] : undefined;
  const before = first && first.unit === last.unit ? `, ${first.passed} did before the first change` : '';
  const fell =
    first && last.total < first.total
      ? ` · the number of ${last.unit} fell from ${first.total} to ${last.total}`
      : '';
  const spark = rates.length > 1 ? ` · per turn \`${renderSparkline(rates)}\`` : '';
  const both = bothResults(state);
  const twice = both ? ` · ${both}` : '';
  return `\`${renderBar(last.passed, last.total)}\` **${last.passed} of ${last.total} ${last.unit} pass${where}**${before}${twice}${spark}${fell}`;
}
