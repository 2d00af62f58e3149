import type { CommentContext } from '../../core/contracts/comment-context.ts';
import { firstBaseline, lastVerification, type RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { bothResults } from '../text/both-results.ts';
import { ratesOf } from '../text/figures.ts';
import { code } from '../text/harmless.ts';
import { isolationWords } from '../text/isolation.ts';
import { blocks, link, marker, renderTable, small } from '../text/markdown.ts';
import { revertedEdits } from '../text/reverted-edits.ts';
import { totalsOf } from '../text/totals.ts';
import { count, timeSpan } from '../text/words.ts';
import { renderMention } from './sections/question-parts.ts';
import { LABEL_AGAIN, renderUnpublished, stateOf } from './sections/state-line.ts';

const REVERTED_SHOWN = 5;

/** The last comment of a run. It is a new comment, so that people are notified. */
export function renderReceipt(state: RunState, where: CommentContext): string {
  const totals = totalsOf(state, where.limits);
  const pull = where.links?.pull_request;
  return blocks(
    `${marker('receipt', { run: state.run, op: where.op })}\n### ${stateOf(state, where)}`,
    renderUnpublished(where),
    summarize(state),
    renderTable({
      head: ['', 'Whole run'],
      align: 'lr',
      rows: [
        ['Turns', totals.turns],
        ['Working', totals.working],
        ['Waiting for a person', totals.waiting],
        ['Jobs', String(state.jobs)],
        ['Files', totals.files],
        ['Tokens in', totals.tokens_in],
        ['Tokens out', totals.tokens_out],
        ['**Cost**, as the agent reports it', `**${totals.cost}**`],
      ],
    }),
    state.finished?.expired && LABEL_AGAIN,
    where.unpublished
      ? renderMention(where, 'please decide what to do next.')
      : pull && state.status === 'reviewing' && renderMention(where, `please review #${pull.number}.`),
    small([
      timeSpan(state.requested_at, state.finished?.at ?? state.updated_at),
      `agent ${code(state.agent, 40)}`,
      state.isolation !== undefined && isolationWords(state.isolation),
      where.links?.run_page && link('run page', where.links.run_page),
    ]),
  );
}

function summarize(state: RunState): string {
  const last = lastVerification(state);
  const first = ratesOf(state)[0];
  const parts: string[] = [];
  if (last) {
    const { passed, total, unit } = score(last);
    const before = firstBaseline(state) && first?.unit === unit ? `, ${first.passed} did before` : '';
    parts.push(`${passed} of ${total} ${unit} pass${before}.`);
    const both = bothResults(state);
    if (both) parts.push(`${both}.`);
    const failing = last.checks.filter((check) => !check.ok).map((check) => code(check.command, 80));
    if (failing.length > 0) parts.push(`Failing: ${failing.join(', ')}.`);
  }
  const questions = state.escalations.length;
  parts.push(
    `${count(state.turns.length, 'turn')}, ${questions === 0 ? 'no question' : count(questions, 'question')} asked.`,
  );
  if (state.known_issues.length > 0) parts.push(`${count(state.known_issues.length, 'known issue')} left.`);
  const reverted = revertedEdits(state);
  if (reverted.length > 0) {
    const shown = reverted.slice(0, REVERTED_SHOWN).map((path) => code(path, 120));
    const more = reverted.length - shown.length;
    const named = more > 0 ? [...shown, `${more} more`] : shown;
    parts.push(`Reverted and never approved, so not included: ${named.join(', ')}.`);
  }
  return parts.join(' ');
}
