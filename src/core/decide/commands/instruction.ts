import type { Escalation } from '../../contracts/escalation.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { knownIssueTitle } from '../completion.ts';
import { alternativeNumber } from '../refusals.ts';

/** What the agent is told about an operator's answer. Empty: it just goes on. */
export function instructionFor(
  input: CommandInput,
  state: RunState,
  { pending, given = [] }: { pending?: Escalation; given?: string[] } = {},
): string {
  const { command, by } = input;
  switch (command.name) {
    case 'guide':
      return `Guidance from ${by}: ${command.text}`;
    case 'override': {
      const report = pending ? pending.blocked_report : state.blocked_report;
      const number = alternativeNumber(command.text);
      const chosen = number && report?.suggested_alternatives[number - 1];
      return `${by} overrides the approach. Abandon what you were doing and do this instead: ${chosen || command.text}`;
    }
    case 'provide':
      return `The values you asked for are there: ${given.join(', ')}. Read them from the inputs file or the environment; never print them.`;
    case 'continue':
      return [
        ...fromActionsSecrets(input),
        ...(command.new_approach
          ? ['Try a different approach than previous iterations.', ...triedBefore(state)]
          : []),
      ].join('\n');
    case 'retry':
      return ['Retry, with these errors in mind:', ...errorHistory(pending)].join('\n');
    case 'debug':
      return ['Find the root cause of this before anything else:', ...errorHistory(pending)].join('\n');
    case 'skip':
      return `Skip this and finish the rest of the task; it is recorded as a known issue: ${pending ? knownIssueTitle(pending) : ''}`;
    case 'approve': {
      const allowed = [
        command.files ? `up to ${command.files} files` : '',
        command.paths ? `files matching ${command.paths.join(', ')}` : '',
      ].filter(Boolean);
      return `Approved by ${by}: ${allowed.join(' and ') || 'the change you proposed'}.`;
    }
    default:
      return '';
  }
}

/** P-9: they are in the job's environment; the desk has never seen them. */
function fromActionsSecrets({ actions_secrets = {} }: CommandInput): string[] {
  const places = Object.entries(actions_secrets).map(([key, { name }]) => `${key} in $${name}`);
  if (places.length === 0) return [];
  return [
    `The values you asked for are in the environment: ${places.join(', ')}. They are in the inputs file, too; never print them.`,
  ];
}

function triedBefore(state: RunState): string[] {
  const tried = state.turns.filter((turn) => turn.kind === 'normal' && turn.title).slice(-5);
  if (tried.length === 0) return [];
  return ['Already tried, do not repeat it:', ...tried.map((turn) => `- turn ${turn.turn}: ${turn.title}`)];
}

function errorHistory(pending: Escalation | undefined): string[] {
  const seen = pending?.triggers.flatMap((trigger) => trigger.evidence.occurrences ?? []) ?? [];
  // The context lists the newest first, a history reads the other way.
  const errors = seen.length > 0 ? seen : (pending?.context.errors.toReversed() ?? []);
  if (errors.length === 0) return [`- ${pending?.question ?? 'the last failure'}`];
  return errors.slice(-5).map(({ turn, operation, error }) => {
    const where = error.file ? ` at ${error.file}${error.line ? `:${error.line}` : ''}` : '';
    return `- turn ${turn}, ${operation}: ${error.message}${where}`;
  });
}
