import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { AgentEnd } from '../agent.ts';

/**
 * The reason why an agent's turn ended, in one vocabulary. `auth` and `quota` need a person at once. The next turn
 * overcomes the others.
 */
export type EndReason =
  | 'done'
  | 'max_turns'
  | 'context'
  | 'api_error'
  | 'auth'
  | 'quota'
  | 'interrupted'
  /** The conversation to resume does not exist, so a new one is needed. */
  | 'no_session'
  /** It ended without a message, or with an unknown one. */
  | 'failed';

const QUOTA =
  /\b(?:credit balance|insufficient[ _](?:quota|credits?|funds)|exceeded your current quota|billing|usage limit|payment required|spend(?:ing)? limit|out of credits|usage_limit_reached)/i;
const AUTH =
  /\b(?:invalid (?:x-)?api[ -]?key|incorrect api key|authentication[_ ](?:error|failed)|unauthorized|not logged in|please run \/login|(?:missing|no) (?:api key|bearer|environment variable)|api key (?:is )?(?:missing|not valid|expired)|permission_error|oauth token|forbidden)/i;
const CONTEXT =
  /\b(?:prompt is too long|context (?:window|length|limit)|context_length_exceeded|maximum context|ran out of room|too many tokens)/i;

/** The conversation is missing, or another version wrote it. */
const NO_SESSION = /\bno (?:conversation|rollout|session) found\b|\bthread\/resume failed\b/i;
const MESSAGE_LENGTH = 1000;

/** The end of an agent that reported none, because it was stopped or failed to start, which its stderr explains. */
export function missingEnd(name: string, { code, signal, stderr = '' }: AgentEnd, told?: string): AgentEvent {
  const ended = { type: 'ended', ok: false } as const;
  if (signal) return { ...ended, reason: 'interrupted', message: `${name} was stopped by ${signal}.` };
  const words = told ?? stderr.trim().slice(-MESSAGE_LENGTH);
  if (!words)
    return { ...ended, reason: 'failed', message: `${name} ended with exit code ${code} and no result.` };
  const reason = reasonOfFailure(words);
  // A message that came from no provider is not a provider's failure.
  return {
    ...ended,
    reason: told === undefined && reason === 'api_error' ? 'failed' : reason,
    message: words,
  };
}

/** Classifies a failure by its message. */
export function reasonOfFailure(message: string, status?: number): EndReason {
  return NO_SESSION.test(message) ? 'no_session' : reasonOfApiFailure(message, status);
}

/** Classifies a model provider's failure by its HTTP status and its message. */
export function reasonOfApiFailure(message: string, status?: number): EndReason {
  const said = status ?? statusIn(message);
  if (said === 402 || QUOTA.test(message)) return 'quota';
  if (said === 401 || said === 403 || AUTH.test(message)) return 'auth';
  if (CONTEXT.test(message)) return 'context';
  return 'api_error';
}

function statusIn(message: string): number | undefined {
  const [, found] = /\b(?:status(?: code)?:?|HTTP|API Error:?)\s*([45]\d\d)\b/i.exec(message) ?? [];
  return found === undefined ? undefined : Number(found);
}
