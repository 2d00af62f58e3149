import * as z from 'zod';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { Usage } from '../../core/contracts/run-event.ts';

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

export const CountedUsage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** Checkpoints of older versions do not have it. */
  cached_tokens: z.number().optional(),
  cost_usd: z.number(),
});
export type CountedUsage = z.infer<typeof CountedUsage>;
type Sums = Required<CountedUsage>;

export interface UsageMeter {
  /** Adds the event and returns the part that had not been counted yet. `session` is the conversation it belongs to. */
  add(event: UsageEvent, session?: string): Sums;
  newInvocation(): void;
  total(): Usage;
  /** Usage counted so far by session, for a later job that resumes one. */
  counted(): Record<string, Sums>;
}

/** Adds up usage. Agents report it per step, per invocation or for the whole session, so only the increase is added. */
export function createUsageMeter(
  before: Usage,
  countedBefore: Record<string, CountedUsage> = {},
): UsageMeter {
  const total = { ...before };
  let invocation: Sums = zero();
  const sessions = new Map(Object.entries(countedBefore).map(([id, sums]) => [id, { ...zero(), ...sums }]));
  return {
    add(event, session = '') {
      const now = {
        input_tokens: event.input_tokens,
        output_tokens: event.output_tokens,
        cached_tokens: Math.min(event.cached_tokens ?? 0, event.input_tokens),
        cost_usd: event.cost_usd ?? 0,
      };
      let fresh = now;
      if (event.scope === 'run') {
        fresh = difference(now, invocation);
        invocation = now;
      } else if (event.scope === 'session') {
        fresh = difference(now, sessions.get(session) ?? zero());
        sessions.set(session, now);
      }
      total.input_tokens += fresh.input_tokens;
      total.output_tokens += fresh.output_tokens;
      if (fresh.cached_tokens > 0) total.cached_tokens = (total.cached_tokens ?? 0) + fresh.cached_tokens;
      if (event.cost_usd !== undefined) total.cost_usd = (total.cost_usd ?? 0) + fresh.cost_usd;
      return fresh;
    },
    newInvocation() {
      invocation = zero();
    },
    total: () => ({ ...total }),
    counted: () => Object.fromEntries(sessions),
  };
}

function zero(): Sums {
  return { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost_usd: 0 };
}

/** A figure that is lower than before means that the agent restarted its count. */
function difference(now: Sums, then: Sums): Sums {
  const since = (a: number, b: number) => (a >= b ? a - b : a);
  return {
    input_tokens: since(now.input_tokens, then.input_tokens),
    output_tokens: since(now.output_tokens, then.output_tokens),
    cached_tokens: since(now.cached_tokens, then.cached_tokens),
    cost_usd: since(now.cost_usd, then.cost_usd),
  };
}
