import type { Measured } from '../contracts/envelope.ts';
import type { Escalation } from '../contracts/escalation.ts';
import type { Option, Progress, Trigger } from '../contracts/guard.ts';
import type { Rules } from '../contracts/rules.ts';
import type { Usage } from '../contracts/run-event.ts';
import { figuresOfRound, type RunState } from '../contracts/run-state.ts';
import { isAboutFinishedWork } from '../work/work-approvals.ts';
import type { Decision } from './decision.ts';
import { reminderTime } from './expiry.ts';

/** Boxes for the player's own suggestions, before the guards' options. */
const SUGGESTIONS_OFFERED = 3;
const SUGGESTION_LENGTH = 60;
const SUGGESTION = 'alternative-';
const REMARKS_NAMED = 5;

/** Several triggers at one moment are one question (E-8). */
export function raiseEscalation(
  state: RunState,
  triggers: Trigger[],
  measured: Measured,
  at: string,
  rules: Rules,
  duringTurn: boolean,
  usage?: Usage,
): Decision {
  const { options, triggers: ordered, ...words } = rules.describe(triggers, progressOf(measured, state));
  const help = ordered.find(({ evidence }) => evidence.help)?.evidence.help;
  const blockedReport = reportToShow(state);
  const escalation: Escalation = {
    id: `e${state.escalations.length + 1}`,
    ...words,
    status: 'pending',
    priority: ordered.some(({ evidence }) => evidence.blocker) ? 'high' : 'normal',
    triggers: ordered,
    context: measured.context,
    what_i_tried: help?.what_i_tried,
    what_i_need: help?.what_i_need,
    inputs: help?.inputs ?? [],
    blocked_report: blockedReport,
    report_missing: blockedReport ? undefined : missingReport(state, ordered, measured, duringTurn),
    options: [...suggestionOptions(blockedReport?.suggested_alternatives ?? []), ...options],
    created_at: at,
    responses: [],
    reminders: 0,
    during_turn: duringTurn,
    rearm: ordered.map((trigger) => trigger.guard),
    work: isAboutFinishedWork(ordered) ? state.changeset : undefined,
    remarks: remarksAbout(state, ordered),
  };
  return announceQuestion(state, escalation, measured.guards, at, usage);
}

/** V-3: whoever decides about a file sees that a reviewer asked for it. */
function remarksAbout({ revision }: RunState, triggers: readonly Trigger[]): Escalation['remarks'] {
  const waiting = new Set(
    triggers.flatMap(({ evidence }) => evidence.proposed ?? []).map(({ path }) => path),
  );
  const remarks = (revision?.remarks ?? []).flatMap(({ path, author, url }) =>
    path !== undefined && waiting.has(path) ? [{ path, author, url }] : [],
  );
  return remarks.length > 0 ? remarks.slice(0, REMARKS_NAMED) : undefined;
}

/** Asks the same question again under a new id, linked to the old one (G-8, E-13). */
export function repeatEscalation(
  state: RunState,
  earlier: Escalation,
  at: string,
  changes: Partial<Pick<Escalation, 'findings' | 'headline' | 'context'>>,
): Decision {
  const blockedReport = reportToShow(state) ?? earlier.blocked_report;
  const escalation: Escalation = {
    ...earlier,
    ...changes,
    blocked_report: blockedReport,
    report_missing: blockedReport ? undefined : earlier.report_missing,
    options: [
      ...suggestionOptions(blockedReport?.suggested_alternatives ?? []),
      ...earlier.options.filter((option) => !option.id.startsWith(SUGGESTION)),
    ],
    id: `e${state.escalations.length + 1}`,
    status: 'pending',
    created_at: at,
    resolved_at: undefined,
    responses: [],
    resolution: undefined,
    acknowledged: undefined,
    reminders: 0,
    reminded_at: undefined,
    follows: earlier.id,
    during_turn: false,
  };
  return announceQuestion(state, escalation, state.guards, at);
}

export function announceQuestion(
  state: RunState,
  escalation: Escalation,
  guards: RunState['guards'],
  at: string,
  usage?: Usage,
): Decision {
  const { context } = escalation;
  const asked = { ...escalation, context: { ...context, of_round: figuresOfRound(state, context) } };
  return {
    events: [{ type: 'escalation_raised', at, escalation: asked, guards, usage }],
    effects: [
      ...(escalation.blocked_report
        ? [{ type: 'save_blocked_report' as const, report: escalation.blocked_report }]
        : []),
      { type: 'ask', escalation: escalation.id },
      { type: 'notify', escalation: escalation.id, priority: escalation.priority, reminder: 0 },
      { type: 'update_status' },
      { type: 'set_timer', timer: `reminder:${escalation.id}`, at: reminderTime(state, escalation, at) },
    ],
  };
}

function progressOf({ context }: Measured, state: RunState): Progress {
  const { revision } = state;
  const { turn, max_turns } = figuresOfRound(state, context) ?? context;
  const last = context.pass_rates.at(-1) ?? context.baseline;
  return {
    turn,
    max_turns: max_turns ?? 0,
    score: last && { unit: last.unit, passed: last.passed, total: last.total },
    // V-9: at a terminal there is no pull request that could stay as it is.
    round: revision?.head === undefined ? undefined : revision.number,
    earlier_turns: revision?.before.counted_turns,
  };
}

/** B-5: the report of the turn that just ended, else the newest one if no question has shown it yet. */
function reportToShow({ last_read, blocked_report, escalations }: RunState): Escalation['blocked_report'] {
  const newest = last_read?.report?.blocked_report;
  if (newest || !blocked_report) return newest ?? undefined;
  const text = JSON.stringify(blocked_report);
  const shown = escalations.some((escalation) => JSON.stringify(escalation.blocked_report) === text);
  return shown ? undefined : blocked_report;
}

/** B-7: why there is no report although the turn limit requires one. An unusable report is shown immediately (B-4). */
function missingReport(
  state: RunState,
  triggers: Trigger[],
  measured: Measured,
  duringTurn: boolean,
): Escalation['report_missing'] {
  const read = state.last_read;
  const unusable = read?.problems.some((problem) => problem.field.startsWith('blocked_report')) ?? false;
  const due = triggers.some(({ run_limit }) => run_limit === 'turns') || (unusable && !duringTurn);
  if (!due) return undefined;
  if (read && read.problems.length > 0) return { kind: 'invalid', problems: read.problems, raw: read.raw };
  if (!read && measured.exit !== undefined && measured.exit !== 'exit 0') {
    return { kind: 'died', problems: [], exit: measured.exit };
  }
  return { kind: 'none', problems: [] };
}

function suggestionOptions(suggestions: string[]): Option[] {
  return suggestions.slice(0, SUGGESTIONS_OFFERED).map((suggestion, index) => ({
    id: `${SUGGESTION}${index + 1}`,
    label:
      suggestion.length > SUGGESTION_LENGTH ? `${suggestion.slice(0, SUGGESTION_LENGTH - 1)}…` : suggestion,
    description: '',
    command: `/override alternative ${index + 1}`,
  }));
}
