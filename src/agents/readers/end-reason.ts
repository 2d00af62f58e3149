import * as z from 'zod';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { AgentEnd } from '../agent.ts';
import { parseJsonLine } from './json-line.ts';
import { secondsUntilRetry } from './retry-after.ts';

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
  /** The provider takes requests again in a moment. */
  | 'rate_limit'
  | 'interrupted'
  /** The conversation to resume does not exist, so a new one is needed. */
  | 'no_session'
  /** This version of the CLI does not know an option that it was started with. */
  | 'unusable'
  /** It ended without a message, or with an unknown one. */
  | 'failed';

export interface End {
  reason: EndReason;
  /** For `rate_limit`, if the provider says it. */
  retry_after_s?: number;
}

/**
 * The beginnings of messages by which one CLI or one provider names a reason. Words further on may be a tool's or a
 * model's, so they name nothing.
 */
export type EndWords = Partial<
  Record<'no_session' | 'unusable' | 'quota' | 'auth' | 'context' | 'rate_limit', RegExp>
>;

/** Reasons that lie with the provider of the model, in the order in which their words are tried. */
const BY_PROVIDER = ['quota', 'auth', 'context', 'rate_limit'] as const;
const BY_STATUS: Readonly<Record<number, EndReason>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  429: 'rate_limit',
};
/** The words before a message: of a CLI, or of an HTTP client with the status. */
const PREFIX =
  /^\s*(?:\[?(?:API )?[Ee]rror:?|ERROR:?|[Uu]nexpected status|HTTP|[Ss]tatus(?: code)?:?|Request failed with status code|(?=[45]\d\d ))\s*(?:([45]\d\d)\b)?(?:\s+[A-Z][a-z]+(?: [A-Z][a-z]+){0,3}(?=:))?[:\s]*/;
/** Lines of stderr that may name a reason. */
const MAX_LINES = 20;
const MESSAGE_LENGTH = 1000;
/** Google's client puts the provider's answer as text into an answer of its own. */
const MAX_NESTED = 3;

interface EndReasons {
  /** Classifies a failure by the beginning of its message. */
  ofFailure(message: string, status?: number): End;
  /** Classifies a model provider's failure by its HTTP status and its message. */
  ofApiFailure(message: string, status?: number): End;
  /** The end of an agent that reported none, because it was stopped or failed to start, which its stderr explains. */
  ofExit(exit: AgentEnd, told?: string): AgentEvent;
}

/** The reasons of one agent, by its own words and those of the providers that its models may have. */
export function createEndReasons(name: string, words: readonly EndWords[]): EndReasons {
  const says = (reason: keyof EndWords, text: string) => words.some((known) => known[reason]?.test(text));

  function named(message: string, status?: number): End | undefined {
    const { said, rest } = withoutPrefix(message);
    const provider = providersWords(rest);
    const texts = [message, rest, ...provider.texts];
    const byStatus = BY_STATUS[status ?? said ?? provider.status ?? 0];
    const byWords = BY_PROVIDER.filter((reason) => texts.some((text) => says(reason, text)));
    if (texts.some((text) => says('no_session', text))) return { reason: 'no_session' };
    // A provider may refuse a key because of an empty account, and its words say more than the status.
    const reason =
      byWords.find((known) => known === 'quota') ?? (byStatus === 'auth' ? byStatus : byWords[0]);
    const seconds = secondsUntilRetry(message);
    // Google calls a limit per minute an exceeded quota, and tells the seconds until it is over.
    if ((reason ?? byStatus) === 'quota' && seconds !== undefined)
      return { reason: 'rate_limit', retry_after_s: seconds };
    const found = reason ?? byStatus;
    if (found === 'rate_limit' && seconds !== undefined) return { reason: found, retry_after_s: seconds };
    return found && { reason: found };
  }

  /** Each line may be the message of a CLI that failed to start. */
  function onStderr(stderr: string): End {
    const ends = stderr
      .split('\n')
      .slice(-MAX_LINES)
      .map((line) =>
        says('unusable', line) || says('unusable', withoutPrefix(line).rest)
          ? { reason: 'unusable' as const }
          : named(line),
      );
    return ends.find((end) => end !== undefined) ?? { reason: 'failed' };
  }

  const ofFailure = (message: string, status?: number): End =>
    named(message, status) ?? { reason: 'api_error' };

  return {
    ofFailure,
    ofApiFailure(message, status) {
      const end = ofFailure(message, status);
      return end.reason === 'no_session' ? { reason: 'api_error' } : end;
    },
    ofExit({ code, signal, stderr = '', toolsRan = false }, told) {
      const ended = { type: 'ended', ok: false } as const;
      if (signal) return { ...ended, reason: 'interrupted', message: `${name} was stopped by ${signal}.` };
      const message = told ?? stderr.trim().slice(-MESSAGE_LENGTH);
      if (!message)
        return { ...ended, reason: 'failed', message: `${name} ended with exit code ${code} and no result.` };
      if (told !== undefined) return { ...ended, ...ofFailure(told), message };
      // Anything on stderr may be a tool's once tools ran.
      return { ...ended, ...(toolsRan ? { reason: 'failed' } : onStderr(message)), message };
    },
  };
}

function withoutPrefix(line: string): { said?: number; rest: string } {
  let rest = line;
  let said: number | undefined;
  for (let times = 0; times < 3; times += 1) {
    const match = PREFIX.exec(rest);
    if (!match || match[0] === '') break;
    said ??= match[1] === undefined ? undefined : Number(match[1]);
    rest = rest.slice(match[0].length);
  }
  return { said, rest };
}

const ProviderBody = z.object({
  error: z.object({ type: z.string().optional(), code: z.unknown(), message: z.string().optional() }),
});

/** The type, message and status in a provider's JSON answer. */
function providersWords(rest: string, depth = 0): { texts: string[]; status?: number } {
  if (!rest.startsWith('{') || depth === MAX_NESTED) return { texts: [] };
  const body = ProviderBody.safeParse(parseJsonLine(rest.replace(/\]$/, '')));
  if (!body.success) return { texts: [] };
  const { type = '', code, message = '' } = body.data.error;
  const inner = providersWords(message.trimStart(), depth + 1);
  const status = typeof code === 'number' ? code : inner.status;
  return { texts: [type, typeof code === 'string' ? code : '', message, ...inner.texts], status };
}
