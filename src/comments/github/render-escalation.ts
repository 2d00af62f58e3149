import type { CommentContext } from '../../core/contracts/comment-context.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import { asksForReview, type Hint, needsDecision } from '../../core/contracts/guard.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { bothResults } from '../text/both-results.ts';
import { type Fold, fitComment } from '../text/fit-comment.ts';
import { code, fenced, inlineText, quoted } from '../text/harmless.ts';
import { link, marker } from '../text/markdown.ts';
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
  whyOf,
} from './sections/question-parts.ts';
import { renderRemarksAsked } from './sections/rounds.ts';
import { whoCanAnswer } from './sections/who-can-answer.ts';
import { explainBaseRun } from './sections/with-base.ts';

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
    renderLog(escalation),
    renderRemarksAsked(escalation),
    renderHelp(escalation),
    escalation.findings && `**What the debug turn found:**\n\n${quoted(escalation.findings, 600)}`,
    report && renderHumanAction(report),
    renderLimitsReached(escalation, where),
    ...evidence.flatMap((shown) => shown.open),
    renderFigures(escalation),
    renderBoth(state),
    ...renderProgress(escalation.context),
    report && renderBlockingIssues(report, where),
    ...renderInputs(state, escalation, where),
    ...renderChoices(escalation, where),
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

/** At most one alert, and only for a decision or a blocker outside the repository. */
function renderAlert(escalation: Escalation): string | undefined {
  if (escalation.triggers.some(({ evidence }) => needsDecision(evidence)))
    return "> [!IMPORTANT]\n> Only a person can decide this; more turns won't help. The run stays paused until you decide.";
  if (escalation.triggers.some(({ evidence }) => evidence.blocker))
    return "> [!WARNING]\n> High priority. The cause is outside the repository: more turns won't help.";
  return undefined;
}

/** G-13: the header, and what neither headline nor evidence says. Requests for review or help are quoted instead. */
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
    return `**The agent's reason**${types}:\n\n${quoted(`USER REVIEW REQUIRED: ${reason}`, 700)}`;
  }
  if (escalation.headers.length < 2 && isHelpLeading(escalation)) return undefined;
  const header = escalation.headers.map((text) => inlineText(text, 40)).join(' · ');
  const why = inlineText(whyOf(escalation), 600);
  if (!header || !why) return header ? `**${header}**` : why;
  return `**${header}.** ${why}`;
}

function renderLog({ log_url }: Escalation): string | undefined {
  return log_url && link('Log of the last job', log_url);
}

function renderBoth(state: RunState): string | undefined {
  const both = bothResults(state);
  return both && state.with_base && `**${both}.** ${explainBaseRun(state.with_base)}`;
}

/** P-1: the agent's request. An unreadable one is shown unchanged, with the problem. */
function renderHelp(escalation: Escalation): string | undefined {
  const unreadable = escalation.triggers.find((trigger) => trigger.evidence.help_raw !== undefined)?.evidence;
  const stopped = `In turn ${escalation.context.turn} the agent stopped to ask for help`;
  if (escalation.what_i_need) return `${stopped}:\n\n${quoted(escalation.what_i_need, 600)}`;
  if (!unreadable) return undefined;
  const problem = inlineText(unreadable.help_problem ?? 'it does not have the expected form', 300);
  return `${stopped}, but its message could not be read: ${problem}. The message:\n\n${fenced(unreadable.help_raw ?? '', 2_000)}`;
}

function triedFold(escalation: Escalation): Fold | undefined {
  const tried = escalation.what_i_tried;
  if (!tried) return undefined;
  return { summary: 'What the agent tried', content: [quoted(tried, 3_000)] };
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

function renderChoices(escalation: Escalation, where: CommentContext): (string | undefined)[] {
  const boxes = renderOptions(escalation, where);
  // The table of the values says how to give them.
  if (escalation.inputs.length > 0 && isHelpLeading(escalation)) return ['**Or tick one:**', boxes];
  const { blocked_report: report, hint = OWN_WORDS } = escalation;
  const suggested = escalation.options.filter((option) => option.id.startsWith('alternative')).length;
  const suggestions =
    suggested > 0 &&
    `**${REPORT_HEADS.alternatives}**: the agent suggests the first ${suggested === 1 ? 'box' : `${count(suggested, 'box', 'boxes')}`}.`;
  const listed = report && suggested === 0 ? renderAlternatives(report) : undefined;
  const below = (words: string) => [suggestions, words].filter(Boolean).join(' ');
  const text = inlineText(hint.text, 200);
  const allows = hint.grants ? ` (allows ${inlineText(hint.grants, 80)})` : '';
  if (hint.first)
    return [listed, `${text}${allows}:`, fenced(hint.command, 80), below('**Or tick one:**'), boxes];
  return [
    listed,
    below('**Tick one, or reply with its command:**'),
    boxes,
    `${text}: ${code(hint.command, 80)}${allows}.`,
  ];
}
