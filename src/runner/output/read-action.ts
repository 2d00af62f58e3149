import type { AgentEvent } from '../../core/contracts/agent-event.ts';
import type { GuardEvent } from '../../core/contracts/guard.ts';
import type { ErrorSighting } from '../../core/contracts/verification.ts';
import { normalizeError, sightErrors } from '../../core/errors/error-signature.ts';
import { findExternalBlocker } from '../../core/errors/external-blocker.ts';

type Started = Extract<AgentEvent, { type: 'tool_started' }>;
type ActionEnded = Extract<GuardEvent, { type: 'action_ended' }> & {
  /** The files it was about, as the agent names them. */
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

/** Pairs the start and end of tool calls, and says what each one was. */
export function createActionReader(): {
  read(event: AgentEvent, context: ActionContext): ActionEnded | undefined;
} {
  // A list, not a Map: the tables that a Map outgrows keep each other alive, 50 MB of them over a long stream.
  const open: Started[] = [];
  return {
    read(event, context) {
      if (event.type === 'tool_started') {
        open.push(event);
        // An agent that never ends its calls must not fill the memory.
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
  what: Pick<Started, 'kind' | 'title' | 'command' | 'paths'>,
  end: { ok?: boolean; exit_code?: number | null; refused: boolean; output: string; paths: string[] },
  context: ActionContext,
): ActionEnded {
  const paths = end.paths.length > 0 ? end.paths : what.paths;
  const command = what.command?.trim();
  const title = what.title ?? command ?? [what.kind, ...paths.slice(0, 1)].join(' ');
  // The exit code is measured, `ok` is what the agent makes of it.
  const ok = typeof end.exit_code === 'number' ? end.exit_code === 0 : (end.ok ?? true);
  const failed = !ok && !end.refused;
  const isCheck = command !== undefined && context.checks.some((check) => check.trim() === command);
  // An agent that looks whether a tool is there has met no blocker: only a check that cannot be found is one.
  const isProbe = end.exit_code === 127 && !isCheck;
  const blocker =
    failed && what.kind === 'command' && !isProbe
      ? findExternalBlocker(end.output, { command, worktree: context.worktree })
      : undefined;
  return {
    type: 'action_ended',
    at: context.at,
    turn: context.turn,
    kind: what.kind,
    title: title.slice(0, TITLE_LENGTH),
    operation: command ?? `${what.kind} ${paths[0] ?? title}`,
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
  // Copied: what was sighted are slices that would keep the whole output alive.
  return structuredClone(withoutKnown(sighted, knownErrors));
}

/** What the config lists as known is shown, never counted. */
export function withoutKnown(errors: ErrorSighting[], known: readonly string[]): ErrorSighting[] {
  return errors.filter((error) => !known.some((entry) => error.message.includes(entry)));
}
