import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import { MENTION_NAME } from '../../../core/contracts/comment-context.ts';
import type { Escalation } from '../../../core/contracts/escalation.ts';
import { asksForHelp } from '../../../core/contracts/guard.ts';
import type { RunState } from '../../../core/contracts/run-state.ts';
import { expiryOf, reminderWait } from '../../../core/decide/expiry.ts';
import { counterOf, figuresOf, observedOf, sparklineOf } from '../../text/figures.ts';
import { inlineText } from '../../text/harmless.ts';
import { link, renderTable, small } from '../../text/markdown.ts';
import { clock, count, dateAtTime, dateTime, list } from '../../text/words.ts';
import { evidenceInShort } from './evidence.ts';
import { givenInputs } from './inputs.ts';

/** Parts of a comment that the question, its answer and its review have in common. */

export function isHelpLeading({ triggers: [lead] }: Escalation): boolean {
  return lead !== undefined && asksForHelp(lead.evidence);
}

/** A record of an older version has only the whole question, which ends by asking how to proceed. */
export function whyOf({ why, question }: Escalation): string {
  return why ?? question.replace(/ How to proceed\?$/, '');
}

/** The record's headline, with the current number of given values. */
export function headlineOf(state: RunState, escalation: Escalation): string {
  const { inputs } = escalation;
  if (isHelpLeading(escalation) && inputs.length > 0) {
    const given = givenInputs(state, escalation).size;
    return `${inputs.length} ${inputs.length === 1 ? 'value' : 'values'} needed (${given} of ${inputs.length} given)`;
  }
  return escalation.headline;
}

export function renderFigures(escalation: Escalation): string {
  const figures = figuresOf(escalation.context, escalation.triggers);
  const spark = sparklineOf(escalation.context);
  const values = figures.map(({ name, value, tripped }) => {
    if (tripped) return `**${value}**`;
    return (name === 'Tests' || name === 'Checks') && spark.length > 1 ? `${value} \`${spark}\`` : value;
  });
  return renderTable({ head: figures.map((figure) => figure.name), rows: [values] });
}

/** E-8: all triggers of one question. */
export function renderLimitsReached(escalation: Escalation, where: CommentContext): string | undefined {
  if (escalation.triggers.length < 2) return undefined;
  const rows = escalation.triggers.map((trigger) => [
    counterOf(trigger),
    `**${trigger.threshold === null ? 'yes' : observedOf(trigger)}**`,
    evidenceInShort(trigger, where),
  ]);
  return renderTable({ head: ['Limit reached', 'Measured', 'Evidence'], rows });
}

/** The line with names that asks for `what`. */
export function renderMention({ mentions = [] }: CommentContext, what: string): string | undefined {
  const names = namesOf(mentions);
  return names.length > 0 ? `${list(names)}, ${what}` : undefined;
}

/** Comments mention nobody anywhere else. */
export function renderAsking(where: CommentContext, rest: string): string | undefined {
  const { mentions = [], mention_reason, escalated } = where;
  const names = namesOf(mentions);
  if (names.length === 0) return undefined;
  const why = mention_reason ? ` (${inlineText(mention_reason, 80)})` : '';
  const others = namesOf(escalated?.to ?? []).filter((name) => !names.includes(name));
  const also =
    escalated && others.length > 0
      ? ` ${list(others)}: ${count(escalated.after, 'reminder')} went unanswered, so you are asked too.`
      : '';
  return `${list(names)}, please answer${why}.${also}${rest}`;
}

function namesOf(mentions: readonly string[]): string[] {
  return mentions.filter((name) => MENTION_NAME.test(name)).map((name) => `@${name}`);
}

/** The limit of turns is that of the round, as in the settings. */
export function guardNames({ triggers, context }: Pick<Escalation, 'triggers' | 'context'>): string {
  const names = triggers.map(({ guard, threshold, run_limit }) => {
    const limit = (run_limit === 'turns' && context.of_round?.max_turns) || threshold;
    return `\`${guard}${limit === null ? '' : `: ${limit}`}\``;
  });
  return list(names);
}

export function renderSmallPrint(state: RunState, escalation: Escalation, where: CommentContext): string {
  const { links } = where;
  return small([
    `Asked ${dateTime(escalation.created_at)}`,
    guardNames(escalation),
    escalation.follows && `follow-up to question ${inlineText(escalation.follows, 20)}`,
    waitingCost(state, escalation, where),
    howLong(where),
    ...whatComes(state, escalation, where, 'reminder'),
    escalation.blocked_report && links?.report_json && link('report as JSON', links.report_json),
    links?.run_page && link('run page', links.run_page),
  ]);
}

function waitingCost(state: RunState, escalation: Escalation, where: CommentContext): string {
  if (!state.job_live) return 'paused: waiting uses no runner minutes';
  // R-5: nothing is known of the agent and of what was saved.
  if (where.silent_since) return `no sign of life from the job since ${dateAtTime(where.silent_since)}`;
  if (where.capabilities.live && escalation.during_turn) return 'the agent is paused, its work is saved';
  return isWorkMissing(escalation) ? 'nothing is running' : 'the work is saved; nothing is running';
}

/** The question is about work that did not arrive, so none is saved. */
export function isWorkMissing({ triggers }: Pick<Escalation, 'triggers'>): boolean {
  return triggers.some(({ evidence }) => evidence.missing_work !== undefined);
}

/** N-4: people who wait for an effect need to know how long to wait. */
export function howLong({ capabilities }: Pick<CommentContext, 'capabilities'>): string | undefined {
  const { answer_minutes } = capabilities;
  return answer_minutes === undefined
    ? undefined
    : `an answer takes effect in about ${count(answer_minutes, 'minute')}: a job has to start first`;
}

/** The next reminder, and the expiry if there is one. */
export function whatComes(
  state: RunState,
  escalation: Escalation,
  { capabilities }: Pick<CommentContext, 'capabilities'>,
  word = 'next reminder',
): string[] {
  const expiry = expiryOf(state, escalation.created_at);
  const closing = expiry ? [`expires on ${dateAtTime(expiry)}`] : [];
  if (capabilities.reminders === false) return closing;
  const reminder = nextReminder(state, escalation);
  return expiry && expiry <= reminder ? closing : [`${word} ${inShort(reminder, escalation)}`, ...closing];
}

function nextReminder(state: RunState, escalation: Escalation): string {
  const { created_at, reminded_at, priority, reminders } = escalation;
  // The timer runs from the newest reminder. Runs of older versions recorded no time and reminded at equal intervals.
  const next = reminded_at
    ? Date.parse(reminded_at) + reminderWait(state, escalation)
    : Date.parse(created_at) + reminderWait(state, { priority, reminders: 0 }) * (reminders + 1);
  return new Date(next).toISOString();
}

function inShort(time: string, { created_at }: Escalation): string {
  return time.slice(0, 10) === created_at.slice(0, 10) ? `${clock(time)} UTC` : dateTime(time);
}
