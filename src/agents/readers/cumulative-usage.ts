import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';

interface Tokens {
  input: number;
  output: number;
  /** The part of `input` that was read from the cache. */
  cached?: number;
}

/** Requests that are counted separately. Figures of older ones no longer change. */
const REQUESTS_KEPT = 64;

/**
 * For agents that report usage per request while they run and a total at the end. The result is one figure for this
 * invocation that never decreases, whichever of the two is ahead.
 */
export function createCumulativeUsage(): {
  /** The newest figures of one request. The same request may be reported again with more. */
  request(id: string, tokens: Tokens): AgentEvent;
  /** The agent's own total of this invocation. */
  total(tokens: Tokens, cost?: number): AgentEvent;
} {
  const open = new Map<string, Required<Tokens>>();
  const settled = { input: 0, output: 0, cached: 0 };
  const highest: Required<Tokens> & { cost?: number } = { input: 0, output: 0, cached: 0 };
  const toEvent = (tokens: Tokens, cost?: number): AgentEvent => {
    highest.input = Math.max(highest.input, tokens.input);
    highest.output = Math.max(highest.output, tokens.output);
    highest.cached = Math.max(highest.cached, tokens.cached ?? 0);
    if (cost !== undefined) highest.cost = Math.max(highest.cost ?? 0, cost);
    return {
      type: 'usage',
      scope: 'run',
      input_tokens: highest.input,
      output_tokens: highest.output,
      ...(highest.cached > 0 ? { cached_tokens: highest.cached } : {}),
      ...(highest.cost === undefined ? {} : { cost_usd: highest.cost }),
    };
  };
  return {
    request(id, tokens) {
      const before = open.get(id) ?? { input: 0, output: 0, cached: 0 };
      open.set(id, {
        input: Math.max(before.input, tokens.input),
        output: Math.max(before.output, tokens.output),
        cached: Math.max(before.cached, tokens.cached ?? 0),
      });
      const [oldest] = open;
      if (oldest && open.size > REQUESTS_KEPT) {
        settled.input += oldest[1].input;
        settled.output += oldest[1].output;
        settled.cached += oldest[1].cached;
        open.delete(oldest[0]);
      }
      const sum = { ...settled };
      for (const { input, output, cached } of open.values()) {
        sum.input += input;
        sum.output += output;
        sum.cached += cached;
      }
      return toEvent(sum);
    },
    total: toEvent,
  };
}
