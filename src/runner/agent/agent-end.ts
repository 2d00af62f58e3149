import type { Agent } from '../../agents/agent.ts';
import { installCommand } from '../../agents/install-command.ts';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { GuardEvent } from '../../core/contracts/guard.ts';
import { normalizeError } from '../../core/errors/error-signature.ts';
import type { AgentExit } from '../process/supervise.ts';

export type Ended = Extract<AgentEvent, { type: 'ended' }>;

const MESSAGE_LENGTH = 300;

/** K-2: the next turn continues after these without a person, and the guards do not count them as errors of the agent. */
const SOFT = new Set(['max_turns', 'context', 'api_error', 'rate_limit', 'interrupted', 'no_session']);

export function isSoftEnd(ended: Ended): boolean {
  return ended.ok || SOFT.has(ended.reason);
}

/** The end that the agent reported decides. The exit code counts only if the agent reported none. */
export function isFailedEnd(exit: AgentExit, ended: Ended | undefined): boolean {
  if (!exit.started) return true;
  return ended ? !isSoftEnd(ended) : exit.code !== 0;
}

export function describeEnd(exit: AgentExit, ended: Ended | undefined): string {
  if (!exit.started || !ended || ended.ok) return describeExit(exit);
  const why = [ended.reason, ended.message].filter(Boolean).join(': ');
  return `${describeExit(exit)}, ${why.replaceAll(/\s+/g, ' ').slice(0, MESSAGE_LENGTH)}`;
}

export function describeExit(exit: AgentExit): string {
  if (!exit.started) return exit.problem;
  return exit.signal ? `killed by ${exit.signal}` : `exit ${exit.code}`;
}

export function describeTimeLimit(ms: number): string {
  const limit = ms < 60_000 ? `${Number((ms / 1_000).toFixed(1))} s` : `${Math.round(ms / 60_000)} min`;
  return `stopped at the turn's time limit of ${limit}`;
}

/** A refused key, an exhausted quota or an unknown option is a blocker, because another turn would fail in the same way. */
export function blockerOf(
  ended: Ended,
  adapter: Pick<Agent, 'name' | 'npmPackage' | 'testedVersion'>,
  turn: number,
  at: string,
): GuardEvent | undefined {
  const { name: agent } = adapter;
  if (ended.reason === 'unusable') return unstartable(agent, describeUnusable(ended, adapter), turn, at);
  if (ended.reason !== 'auth' && ended.reason !== 'quota') return undefined;
  const message = ended.message || `it refused ${agent} (${ended.reason})`;
  const resource = `the model provider of ${agent}: ${message}`;
  return failedAction({
    at,
    turn,
    title: `${agent} asks its model`,
    operation: `the model provider of ${agent}`,
    message,
    blocker: { kind: 'permission_denied', resource, operation: 'unknown' },
  });
}

function describeUnusable(
  { message = '' }: Ended,
  adapter: Pick<Agent, 'name' | 'npmPackage' | 'testedVersion'>,
): string {
  const said = message.replaceAll(/\s+/g, ' ').trim().slice(0, MESSAGE_LENGTH);
  const install = installCommand(adapter);
  const remedy = install ? ` Install the version it was tested with: ${install}` : '';
  return `this version of ${adapter.name} does not know the options that Autobuild gives it (${said}).${remedy}`;
}

/** A program that is missing or cannot be run is a blocker, because another turn would fail in the same way. */
export function unstartable(agent: string, problem: string, turn: number, at: string): GuardEvent {
  return failedAction({
    at,
    turn,
    title: `start ${agent}`,
    operation: `the start of ${agent}`,
    message: problem,
    blocker: { kind: 'missing_dependency', name: `the agent ${agent}`, problem },
  });
}

/** Reported before the agent starts, because it can only fail without a key. The message says where to set it. */
export function keyless(agent: string, keys: readonly string[], turn: number, at: string): GuardEvent {
  const [key] = keys;
  return failedAction({
    at,
    turn,
    title: `start ${agent}`,
    operation: `the start of ${agent}`,
    message: `${describeKeyless(agent, keys)} In a workflow it is a line under \`env:\` of the step that runs Autobuild: ${key}: \${{ secrets.${key} }}`,
    blocker: { kind: 'missing_dependency', name: `the key of ${agent} (${keys.join(' or ')})` },
  });
}

export function describeKeyless(agent: string, keys: readonly string[]): string {
  return `${agent} has no key for its model: set ${keys.join(' or ')}.`;
}

type Failed = Extract<GuardEvent, { type: 'action_ended' }>;

function failedAction({
  message,
  ...action
}: Pick<Failed, 'at' | 'turn' | 'title' | 'operation' | 'blocker'> & { message: string }): GuardEvent {
  return {
    type: 'action_ended',
    ...action,
    kind: 'other',
    ok: false,
    refused: false,
    is_check: false,
    errors: [{ message, signature: normalizeError(message) }],
  };
}
