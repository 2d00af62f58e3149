import type { CommentContext } from '../../core/contracts/comment-context.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import { asksForReview, type Hint } from '../../core/contracts/guard.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { type Fold, fitComment } from '../text/fit-comment.ts';
import { code, fenced, inlineText, quoted } from '../text/harmless.ts';
import { marker } from '../text/markdown.ts';
import { restOf } from '../text/places.ts';
import { count, list } from '../text/words.ts';
import {
  attemptsFold,
  missingReportFolds,
  problemTable,
  REPORT_HEADS,
  renderAlternatives,
  renderBlockingIssues,
  renderHumanAction,
  renderMissingReport,
} from './sections/blocked-report.ts';
import { contextFold, renderProgress } from './sections/context-folds.ts';
import { showEvidence } from './sections/evidence.ts';
import { renderInputs } from './sections/inputs.ts';
import { renderOptions } from './sections/options.ts';
import {
  headlineOf,
  isHelpLeading,
  renderAsking,
  renderFigures,
  renderLimitsReached,
  renderSmallPrint,
} from './sections/question-parts.ts';
import { whoCanAnswer } from './sections/who-can-answer.ts';

/** The question as a GitHub comment: headline, reason, figures, requested values, options, folds, mentions, small print. */
export function renderEscalation(state: RunState, escalation: Escalation, where: CommentContext): string {
  const { blocked_report: report, triggers } = escalation;
  const alone = triggers.length === 1;
  const evidence = triggers.map((trigger) => showEvidence(state, trigger, alone, where));
  const parts: (string | undefined | Fold)[] = [
    `${renderMarker(state, escalation, where)}\n### ⏸ Waiting for you: ${inlineText(headlineOf(state, escalation), 120)}`,
    renderAlert(escalation),
    ...renderMissingReport(escalation),
    renderWhy(escalation),
    renderHelp(escalation),
    escalation.findings &&
      `**What the debug turn found, in the agent's words:**\n\n${quoted(escalation.findings, 600)}`,
    report && renderHumanAction(report),
    renderLimitsReached(escalation, where),
    ...evidence.flatMap((shown) => shown.open),
    renderFigures(escalation),
    ...renderProgress(escalation.context),
    report && renderBlockingIssues(report, where),
    ...renderInputs(state, escalation, where),
    ...renderChoices(escalation),
    ...reviewFolds(escalation),
    report && attemptsFold(report),
    ...missingReportFolds(state, escalation, where),
    triedFold(escalation),
    ...evidence.flatMap((shown) => shown.folds),
    contextFold(escalation.context, where),
    renderAsking(where, whoCanAnswer(escalation, where)),
    renderSmallPrint(state, escalation, where),
  ];
  return fitComment(parts, restOf(where));
}

export function renderMarker(state: RunState, escalation: Escalation, where: CommentContext): string {
  return marker('escalation', { run: state.run, esc: escalation.id.replace(/^e(?=\d)/, ''), op: where.op });
}

function isReview(escalation: Escalation): boolean {
  return escalation.triggers.some(({ evidence }) => asksForReview(evidence));
}

/** At most one alert, and only for a decision or a blocker outside the repository. */
function renderAlert(escalation: Escalation): string | undefined {
  if (isReview(escalation))
    return '> [!IMPORTANT]\n> Only a person can decide this. The run stays stopped until then, and more turns would not help.';
  if (escalation.triggers.some(({ evidence }) => evidence.blocker))
    return '> [!WARNING]\n> High priority. The cause is outside the repository: no number of turns will help.';
  return undefined;
}

/** G-13: header and question. Requests for review or help are shown in the agent's words instead. */
function renderWhy(escalation: Escalation): string | undefined {
  const review = escalation.triggers.find(({ evidence }) => asksForReview(evidence));
  if (review) {
    const { review_reason, review_types = [] } = review.evidence;
    const types =
      review_types.length > 0
        ? ` (${list(
            review_types.map((type) => code(type, 60)),
            6,
          )})`
        : '';
    const reason = review_reason || 'the agent gave no reason';
    return `**Why, in the agent's words**${types}:\n\n${quoted(`USER REVIEW REQUIRED: ${reason}`, 700)}`;
  }
  if (escalation.headers.length < 2 && isHelpLeading(escalation)) return undefined;
  const header = escalation.headers.map((text) => inlineText(text, 40)).join(' · ');
  const question = inlineText(escalation.question, 600);
  return [header && `**${header}.**`, question].filter(Boolean).join(' ');
}

/** P-1: the agent's request. An unreadable one is shown unchanged, with the problem. */
function renderHelp(escalation: Escalation): string | undefined {
  const unreadable = escalation.triggers.find((trigger) => trigger.evidence.help_raw !== undefined)?.evidence;
  const stopped = `The agent stopped in turn ${escalation.context.turn} to ask.`;
  if (escalation.what_i_need) return `${stopped} **In its words:**\n\n${quoted(escalation.what_i_need, 600)}`;
  if (!unreadable) return undefined;
  const problem = inlineText(unreadable.help_problem ?? 'it does not have the agreed form', 300);
  return `${stopped} Its message could not be read: ${problem}. **As it came:**\n\n${fenced(unreadable.help_raw ?? '', 2_000)}`;
}

function triedFold(escalation: Escalation): Fold | undefined {
  const tried = escalation.what_i_tried;
  if (!tried) return undefined;
  return { summary: "What was tried, in the agent's words", content: [quoted(tried, 3_000)] };
}

function reviewFolds(escalation: Escalation): Fold[] {
  const evidence = escalation.triggers.find((trigger) => asksForReview(trigger.evidence))?.evidence;
  const problems = evidence?.report_problems ?? [];
  const notes = evidence?.review_derived
    ? ['`requires_user_review` was not set; an error of this type always stops for review.']
    : [];
  if (problems.length === 0 && notes.length === 0) return [];
  const content = [...notes, ...(problems.length > 0 ? [problemTable(problems)] : [])];
  return [{ summary: 'How the report was read', content }];
}

/** For questions whose guard has no hint, and for records of older versions. */
const OWN_WORDS: Hint = {
  text: 'Or in your own words',
  command: '/guide <what to do differently>',
  first: false,
};

function renderChoices(escalation: Escalation): (string | undefined)[] {
  const boxes = renderOptions(escalation);
  // The table of the values says how to give them.
  if (escalation.inputs.length > 0 && isHelpLeading(escalation)) return ['**Or tick one:**', boxes];
  const { blocked_report: report, hint = OWN_WORDS } = escalation;
  const suggested = escalation.options.filter((option) => option.id.startsWith('alternative')).length;
  const suggestions =
    suggested > 0 &&
    `**${REPORT_HEADS.alternatives}**, in the agent's words: the first ${suggested === 1 ? 'box' : `${count(suggested, 'box', 'boxes')}`}.`;
  const listed = report && suggested === 0 ? renderAlternatives(report) : undefined;
  const below = (words: string) => [suggestions, words].filter(Boolean).join(' ');
  const text = inlineText(hint.text, 200);
  if (hint.first) return [listed, `${text}:`, fenced(hint.command, 80), below('**Or tick one:**'), boxes];
  return [
    listed,
    below('**Tick one, or reply with its command:**'),
    boxes,
    `${text}: ${code(hint.command, 80)}.`,
  ];
}
