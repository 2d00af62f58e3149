import {
  DECISION_TREE,
  DO_NOT_FLAG,
  HARD_BLOCKERS,
  SOFT_BLOCKERS,
} from '../core/contracts/agent/blockers.ts';

const REPORT_PART = `## Your report

End each turn by writing a JSON report to $AUTOBUILD_REPORT:
\`{"status": "implemented" | "partial" | "failed" | "blocked", "summary": "one line: what this turn did", "errors": [{"type", "message", "recoverable", "recommendation"}], "partial_progress": {"stage", "details", "phases_completed", "phases_total", "handoff_path"}, "requires_user_review": false, "review_reason": "…"}\`
Report \`implemented\` only when everything is done; it is verified. Never make up a completion.`;

const BLOCKER_PART = `## When you are blocked

Set \`requires_user_review: true\` with a \`review_reason\` of one or two sentences, and name the error type, for:
${Object.entries(HARD_BLOCKERS)
  .map(([type, { meaning }]) => `- \`${type}\`: ${meaning}`)
  .join('\n')}

Do not flag:
${DO_NOT_FLAG.map((item) => `- ${item}`).join('\n')}
For those report \`partial\` with the type (${Object.keys(SOFT_BLOCKERS).join(', ')}); the run continues automatically.

Decide like this: ${DECISION_TREE.map((step) =>
  [`${step.question} Yes: ${step.yes}.`, 'no' in step ? `No: ${step.no}.` : 'No: next question.'].join(' '),
).join(' ')}`;

const HELP_PART = `## Asking for help

Asking is the last resort, after real effort: search the repository, try another way, read the error. If only a person can provide what is missing, write this block in your own message, on separate lines, and wait. Never invent a value, and never claim to be done.

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
export const INSTRUCTIONS = `${[REPORT_PART, BLOCKER_PART, HELP_PART].join('\n\n')}\n`;
