import { BLOCKER_CATEGORIES } from '../core/contracts/agent/blocked-report.ts';
import {
  DECISION_TREE,
  DO_NOT_FLAG,
  HARD_BLOCKERS,
  SOFT_BLOCKERS,
} from '../core/contracts/agent/blockers.ts';
import type { Predecessor } from '../core/contracts/predecessor.ts';
import type { Task } from '../core/contracts/task.ts';
import { score, type Verification } from '../core/contracts/verification.ts';
import type { TurnFiles, TurnSpec } from './agent.ts';

/** The facts that the agent gets each turn beside the task. The context file has the same facts (B-1). */
export interface TurnContext {
  task_id: string;
  turn: number;
  max_turns: number | null;
  approaching_limit: boolean;
  kind: 'normal' | 'debug';
  /** True when this turn was started before, so that its work is in the worktree. */
  resumed: boolean;
  scope: string[] | null;
  max_files: number | null;
  checks: string[];
  inputs: string[];
  answers: string[];
  known_issues: string[];
  handoff_path: string | null;
  /** The agent that worked on the run before, if another one did. */
  predecessor: Predecessor | null;
}

/** B-1: from this turn on, a blocked report is due if the task is not complete. */
export function isApproachingLimit(turn: number, maxTurns: number | null): boolean {
  return maxTurns !== null && turn >= maxTurns - 2;
}

/** Joins both into one text, for an agent that takes no instructions beside its prompt. */
export function joinPrompt({ prompt, instructions }: Pick<TurnSpec, 'prompt' | 'instructions'>): string {
  return `${prompt}\n${instructions}`;
}

/** Renders the task of this turn and everything that may change until the next one. */
export function renderTurn(
  task: Task,
  context: TurnContext,
  files: TurnFiles,
  feedback: Verification | undefined,
): string {
  return joinParts([
    `# ${task.title}`,
    turnLine(context, files),
    context.kind === 'debug' ? DEBUG_TURN : undefined,
    predecessorPart(context),
    answersPart(context),
    taskPart(task),
    listPart('Acceptance criteria', task.acceptance_criteria),
    scopePart(context),
    feedbackPart(context, feedback),
    listPart('Known issues: leave these, a person decided to skip them', context.known_issues),
    context.handoff_path &&
      `## Handoff\n\nYour predecessor left a handoff document: ${context.handoff_path}. Read it first.`,
    context.approaching_limit && context.kind === 'normal' ? escapeHatch(context) : undefined,
  ]);
}

function joinParts(parts: (string | false | null | undefined)[]): string {
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function turnLine({ turn, max_turns, approaching_limit, resumed }: TurnContext, files: TurnFiles): string {
  const limit = max_turns === null ? 'no turn limit' : `max_turns: ${max_turns}`;
  const again = resumed ? ' This turn was begun before; its work so far is in the worktree.' : '';
  return `You work unattended. turn: ${turn}, ${limit}, approaching_limit: ${approaching_limit}.${again} The same facts are in ${files.context} ($AUTOBUILD_CONTEXT). Your report goes to ${files.report} ($AUTOBUILD_REPORT).`;
}

const DEBUG_TURN = `## A debugging turn

Find the root cause of the failure described below and change nothing: edits made in this turn are put back. Reproduce it, rule out what it is not, and say what you found in your report:
\`{"status": "partial", "root_cause_found": true, "root_cause": "…", "fix": "…"}\`. If you do not find it, \`root_cause_found\` is false and \`root_cause\` says what you ruled out.`;

const ACKNOWLEDGE = 'Say in one line that you took the newest answer in, before you go on.';

function answersPart({ answers, inputs }: TurnContext): string | undefined {
  if (answers.length === 0 && inputs.length === 0) return undefined;
  const said = answers.map((answer) => `- ${answer.replaceAll('\n', '\n  ')}`).join('\n');
  const values = inputs.length
    ? `Values that were given: ${inputs.join(', ')}. They are in the inputs file ($AUTOBUILD_INPUTS) and in the environment. Never print or commit them.`
    : '';
  const parts = ['## What people answered, newest last', said, values, ACKNOWLEDGE];
  return parts.filter(Boolean).join('\n\n');
}

/** E-14: facts that the new agent should not have to find again. */
function predecessorPart({ predecessor }: TurnContext): string | undefined {
  if (!predecessor) return undefined;
  const { agent, turns, reported, tried, question, answer } = predecessor;
  const lines = [
    ...reported.map((line) => `- It reported, ${line}`),
    tried && `- It says it tried: ${tried}`,
    question && `- The question was: ${question}`,
    answer && `- ${answer}`,
  ].filter(Boolean);
  const count = turns === 1 ? '1 turn' : `${turns} turns`;
  return [
    '## You take this over',
    `Another agent, ${agent}, worked on this before you: ${count}. Its work is in the worktree; its conversation is not yours. Look at what is there before you go on.`,
    lines.join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** A task file begins with its title, and the prompt does too, so the title is removed here. */
function taskPart({ title, body }: Task): string | undefined {
  const [first = '', ...rest] = body.trimStart().split('\n');
  const isTitle = first.startsWith('# ') && first.slice(2).trim().replaceAll(/\s+/g, ' ') === title;
  const text = isTitle ? rest.join('\n').trim() : body;
  return text === '' ? undefined : `## The task\n\n${text}`;
}

function listPart(title: string, items: string[]): string | undefined {
  return items.length ? `## ${title}\n\n${items.map((item) => `- ${item}`).join('\n')}` : undefined;
}

function scopePart({ scope, max_files }: TurnContext): string | undefined {
  const lines = [
    scope &&
      `Change only files within: ${scope.join(', ')}. Anything else is stopped before it happens and a person is asked.`,
    max_files && `Change at most ${max_files} files.`,
  ].filter(Boolean);
  return lines.length ? `## Limits of the change\n\n${lines.join('\n')}` : undefined;
}

function feedbackPart({ checks, turn }: TurnContext, feedback: Verification | undefined): string {
  const commands = `The task is complete when these pass, run by Autobuild and not by you: ${checks.map((check) => `\`${check}\``).join(', ')}.`;
  if (!feedback) return `## Verification\n\n${commands}`;
  const { unit, passed, total } = score(feedback);
  const when = turn === 1 ? 'Before your first change' : 'After the last turn';
  const failed = feedback.checks.filter((check) => !check.ok).map(describeFailed);
  return [`## Verification`, `${commands} ${when}: ${passed} of ${total} ${unit} pass.`, ...failed].join(
    '\n\n',
  );
}

function describeFailed({ command, exit_code, output_tail }: Verification['checks'][number]): string {
  const end = `\`${command}\` exited ${exit_code ?? 'by a signal'}`;
  return output_tail.trim() === '' ? `${end} and printed nothing.` : `${end}:\n\n${indent(output_tail)}`;
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .slice(-60)
    .map((line) => `    ${line}`)
    .join('\n');
}

const REPORT_PART = `## Your report

End each turn by writing a JSON report to $AUTOBUILD_REPORT:
\`{"status": "implemented" | "partial" | "failed" | "blocked", "summary": "one line: what this turn did", "errors": [{"type", "message", "recoverable", "recommendation"}], "partial_progress": {"stage", "details", "phases_completed", "phases_total", "handoff_path"}, "requires_user_review": false, "review_reason": "…"}\`
Say \`implemented\` only when everything is done: it is checked. A completion is never made up.`;

function escapeHatch({ turn, max_turns }: TurnContext): string {
  return `## Near the limit: a blocked report is due

This is turn ${turn} of ${max_turns}. If you cannot complete the task in this turn, you must add \`blocked_report\` to your report. All four parts are required; \`attempts_made\` covers all turns, not only this one; keep it short. Categories: ${Object.keys(BLOCKER_CATEGORIES).join(', ')}.

    "blocked_report": {
      "blocking_issues": [{"issue": "The sandbox refuses our account", "location": "src/mail/send.ts:31", "category": "external_dependency", "details": "Every call answers 403 for this account"}],
      "attempts_made": [{"turn": 1, "action": "Used the recorded responses", "result": "Failed", "why_failed": "They hold no bounce events"}],
      "suggested_alternatives": ["Use the provider's own simulator", "Split the task: sending first, bounces later"],
      "human_action_required": "Open the sandbox for the test account, or agree to the split"
    }`;
}

const BLOCKER_PART = `## When something is in the way

Set \`requires_user_review: true\` with a \`review_reason\` of one or two sentences, and name the error type, for:
${Object.entries(HARD_BLOCKERS)
  .map(([type, { meaning }]) => `- \`${type}\`: ${meaning}`)
  .join('\n')}

Do not flag:
${DO_NOT_FLAG.map((item) => `- ${item}`).join('\n')}
For those report \`partial\` with the type (${Object.keys(SOFT_BLOCKERS).join(', ')}); the run goes on by itself.

Decide like this: ${DECISION_TREE.map((step) =>
  [`${step.question} Yes: ${step.yes}.`, 'no' in step ? `No: ${step.no}.` : 'No: next question.'].join(' '),
).join(' ')}`;

const HELP_PART = `## Asking for help

Asking is the last resort, after real effort of your own: look in the repository, try another way, read the error. When only a person can give what is missing, print this block and wait; never invent a value, and never claim to be done.

    <<<NEED_HELP>>>
    what_i_tried: |
      1. …
    what_i_need: |
      …
    inputs:
      - key: service_url
        label: Address of the test service
      - key: service_token
        label: Token for the test service
        secret: true
    <<<END_HELP>>>

\`what_i_tried\` and \`what_i_need\` are required; \`inputs\` only when values are needed.`;

/**
 * The rules that hold in every turn, word for word, because some agents keep the instructions their conversation began
 * with. So they contain no path, number or name.
 */
export const INSTRUCTIONS = joinParts([REPORT_PART, BLOCKER_PART, HELP_PART]);
