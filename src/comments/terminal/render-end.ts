import { lastVerification, type RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { partialCause } from '../github/render-pull-request.ts';
import { ratesOf } from '../text/figures.ts';
import { revertedEdits } from '../text/reverted-edits.ts';
import { type Totals, totalsOf } from '../text/totals.ts';
import { count } from '../text/words.ts';
import { paintState, type RunLook, widthOf } from './style.ts';
import { terminalLine } from './terminal-text.ts';

const REVERTED_SHOWN = 10;

interface EndLook extends RunLook {
  branch?: string;
}

/** The end of a run: result, totals, branch. */
export function renderEnd(state: RunState, look: EndLook): string {
  const totals = totalsOf(state, look.limits);
  const { paths, added, removed } = state.changes;
  const work = `${count(paths.length, 'file')}, +${added} −${removed}`;
  const lines = [
    paintState(terminalLine(headline(state), widthOf(look)), look),
    ...(isPartial(state)
      ? [`  Task completed with partial results due to ${terminalLine(partialCause(state), 60)}`]
      : []),
    ...state.known_issues
      .slice(0, 10)
      .map((issue) => `  ✗ known issue: ${terminalLine(issue.title, widthOf(look) - 18)}`),
    ...revertedLines(state, look),
    `  turns ${totals.turns}   ${totals.working}   waiting ${totals.waiting}${spent(state, totals)}`,
    `  ${look.branch ? `branch ${terminalLine(look.branch, 60)}, ` : ''}${work}`,
  ];
  return lines.join('\n');
}

function revertedLines(state: RunState, look: EndLook): string[] {
  const paths = revertedEdits(state);
  const more = paths.length - REVERTED_SHOWN;
  return [
    ...paths
      .slice(0, REVERTED_SHOWN)
      .map((path) => `  ✗ put back, not in the work: ${terminalLine(path, widthOf(look) - 31)}`),
    ...(more > 0 ? [`  ✗ and ${count(more, 'more file')} put back`] : []),
  ];
}

function isPartial(state: RunState): boolean {
  return state.finished?.partial === true && (state.status === 'reviewing' || state.status === 'approved');
}

function headline(state: RunState): string {
  const by = state.finished?.by ? ` by ${state.finished.by}` : '';
  switch (state.status) {
    case 'reviewing':
    case 'approved':
      return state.finished?.partial ? `✓ Done in part: ${figures(state)}` : `✓ Done: ${figures(state)}`;
    case 'rejected':
      return '✗ Rejected: closed without merging';
    case 'cancelled':
      return `✗ Cancelled${by}: ${figures(state)}; the work is kept`;
    case 'terminated_by_human':
      return `✗ Ended${by}: ${figures(state)}; the work is kept`;
    case 'failed':
      return `✗ Failed: ${state.finished?.reason ?? 'no reason recorded'}`;
    case 'waiting_for_input':
      return `⏸ Parked: autobuild resume ${state.run} ${state.pending ? 'brings the question back' : 'goes on'}`;
    case 'pending':
    case 'building':
      return `▶ Stopped in turn ${state.turn}: autobuild resume ${state.run} goes on`;
  }
}

function figures(state: RunState): string {
  const last = lastVerification(state);
  if (!last) return 'nothing verified';
  const { passed, total, unit } = score(last);
  const [first] = ratesOf(state);
  const before = state.baseline && first?.unit === unit ? ` (${first.passed} before)` : '';
  return `${passed} of ${total} ${unit} pass${before}`;
}

/** Nothing for an agent that does not report its usage, because a zero would be wrong. */
function spent({ usage }: RunState, { tokens, cost }: Totals): string {
  const { input_tokens, output_tokens, cost_usd } = usage;
  const parts = [input_tokens + output_tokens > 0 && `${tokens} tokens`, cost_usd !== null && cost];
  return parts.flatMap((part) => (part ? [`   ${part}`] : [])).join('');
}
