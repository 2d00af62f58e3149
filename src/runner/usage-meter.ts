import type { AgentEvent } from '../core/agent-event.ts';
import type { Usage } from '../core/run-event.ts';

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;
type Sums = { input_tokens: number; output_tokens: number; cost_usd: number };

/** Agents count differently: by step, by invocation, or over the whole session. This adds up what is new, once. */
export function createUsageMeter(before: Usage): {
  add(event: UsageEvent): Sums;
  newInvocation(): void;
  total(): Usage;
} {
  const total = { ...before };
  let invocation: Sums = zero();
  let session: Sums = zero();
  return {
    add(event) {
      const now = {
        input_tokens: event.input_tokens,
        output_tokens: event.output_tokens,
        cost_usd: event.cost_usd ?? 0,
      };
      let fresh = now;
      if (event.scope === 'run') {
        fresh = difference(now, invocation);
        invocation = now;
      } else if (event.scope === 'session') {
        fresh = difference(now, session);
        session = now;
      }
      total.input_tokens += fresh.input_tokens;
      total.output_tokens += fresh.output_tokens;
      if (event.cost_usd !== undefined) total.cost_usd = (total.cost_usd ?? 0) + fresh.cost_usd;
      return fresh;
    },
    newInvocation() {
      invocation = zero();
    },
    total: () => ({ ...total }),
  };
}

function zero(): Sums {
  return { input_tokens: 0, output_tokens: 0, cost_usd: 0 };
}

/** A figure that falls means the agent started to count anew. */
function difference(now: Sums, then: Sums): Sums {
  const since = (a: number, b: number) => (a >= b ? a - b : a);
  return {
    input_tokens: since(now.input_tokens, then.input_tokens),
    output_tokens: since(now.output_tokens, then.output_tokens),
    cost_usd: since(now.cost_usd, then.cost_usd),
  };
}
