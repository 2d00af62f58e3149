import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { GuardEvent } from '../../core/contracts/guard.ts';
import type { ErrorSighting } from '../../core/contracts/verification.ts';
import { normalizeError, sightErrors } from '../../core/errors/error-signature.ts';
import { findExternalBlocker } from '../../core/errors/external-blocker.ts';

type Started = Extract<AgentEvent, { type: 'tool_started' }>;
type ActionEnded = Extract<GuardEvent, { type: 'action_ended' }> & {
  /** The files the action read or wrote, as the agent names them. */
  paths: string[];
};

const OPEN_TOOLS_KEPT = 1_000;
const TITLE_LENGTH = 120;

export interface ActionContext {
  turn: number;
  at: string;
  checks: readonly string[];
  worktree: string;
  knownErrors: readonly string[];
}

/** Pairs the start and end of tool calls, and describes each call for the guards. */
export function createActionReader(): {
  read(event: AgentEvent, context: ActionContext): ActionEnded | undefined;
} {
  // A list, because a Map retained 50 MB of outgrown hash tables over a long stream.
  const open: Started[] = [];
  return {
    read(event, context) {
      if (event.type === 'tool_started') {
        open.push(event);
        // Bounded, because an agent may never report the end of its calls.
        if (open.length > OPEN_TOOLS_KEPT) open.shift();
        return undefined;
      }
      if (event.type === 'action') return describeAction(event, event, context);
      if (event.type !== 'tool_ended') return undefined;
      const at = open.findLastIndex((candidate) => candidate.id === event.id);
      const [started] = at === -1 ? [] : open.splice(at, 1);
      return describeAction(started ?? { kind: 'other', paths: [] }, event, context);
    },
  };
}

function describeAction(
  start: Pick<Started, 'kind' | 'title' | 'command' | 'paths'>,
  end: { ok?: boolean; exit_code?: number | null; refused: boolean; output: string; paths: string[] },
  context: ActionContext,
): ActionEnded {
  const paths = end.paths.length > 0 ? end.paths : start.paths;
  const command = start.command?.trim();
  const title = start.title ?? command ?? [start.kind, ...paths.slice(0, 1)].join(' ');
  // The exit code is measured; `ok` is the agent's claim.
  const ok = typeof end.exit_code === 'number' ? end.exit_code === 0 : (end.ok ?? true);
  const failed = !ok && !end.refused;
  const isCheck = command !== undefined && context.checks.some((check) => check.trim() === command);
  // Exit code 127 of a command that is no check is an agent testing whether a tool is installed, which is no blocker.
  const isProbe = end.exit_code === 127 && !isCheck;
  const blocker =
    failed && start.kind === 'command' && !isProbe
      ? findExternalBlocker(end.output, { command, worktree: context.worktree })
      : undefined;
  return {
    type: 'action_ended',
    at: context.at,
    turn: context.turn,
    kind: start.kind,
    title: title.slice(0, TITLE_LENGTH),
    operation: command ?? `${start.kind} ${paths[0] ?? title}`,
    ok,
    refused: end.refused,
    is_check: isCheck,
    errors: failed ? errorsOf(end.output, title, context.knownErrors) : [],
    ...(blocker ? { blocker } : {}),
    paths,
  };
}

function errorsOf(output: string, title: string, knownErrors: readonly string[]): ErrorSighting[] {
  const sighted = output.trim()
    ? sightErrors(output)
    : [{ message: `${title} failed`, signature: normalizeError(`${title} failed`) }];
  // Copied, because the sightings are string slices that would keep the whole output in memory.
  return structuredClone(withoutKnown(sighted, knownErrors));
}

/** Errors that the config lists as known are shown to people but not counted by the guards. */
export function withoutKnown(errors: ErrorSighting[], known: readonly string[]): ErrorSighting[] {
  return errors.filter((error) => !known.some((entry) => error.message.includes(entry)));
}
