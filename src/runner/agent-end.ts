import type { AgentEvent } from '../core/agent-event.ts';
import { normalizeError } from '../core/error-signature.ts';
import type { GuardEvent } from '../core/guard.ts';

type Ended = Extract<AgentEvent, { type: 'ended' }>;

/** K-2: a successor goes on from these by itself; they are no error of the agent's. */
const SOFT = new Set(['done', 'max_turns', 'context', 'api_error', 'interrupted', 'no_session']);

export function isSoftEnd(ended: Ended | undefined): boolean {
  return ended !== undefined && SOFT.has(ended.reason);
}

/** A key that is refused or a quota that is used up: no number of turns helps, a person has to look. */
export function blockerOf(ended: Ended, agent: string, turn: number, at: string): GuardEvent | undefined {
  if (ended.reason !== 'auth' && ended.reason !== 'quota') return undefined;
  const message = ended.message || `the model provider refused ${agent} (${ended.reason})`;
  return {
    type: 'action_ended',
    at,
    turn,
    kind: 'other',
    title: `${agent} asks its model`,
    operation: `the model provider of ${agent}`,
    ok: false,
    refused: false,
    is_check: false,
    errors: [{ message, signature: normalizeError(message) }],
    blocker:
      ended.reason === 'auth'
        ? {
            kind: 'permission_denied',
            resource: `the model provider of ${agent}: ${message}`,
            operation: 'unknown',
          }
        : {
            kind: 'api_unavailable',
            endpoint: `the model provider of ${agent}: ${message}`,
            status: 429,
            transient: false,
          },
  };
}
