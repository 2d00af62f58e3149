import type { AgentEvent } from '../core/contracts/agent-event.ts';

interface Tokens {
  input: number;
  output: number;
}

/** Requests whose figures are told apart; what is older has long stopped changing. */
const REQUESTS_KEPT = 64;

/**
 * For agents that count by request while they run and tell a total at the end: one figure of this invocation that never
 * falls, whichever of the two is ahead.
 */
export function createCumulativeUsage(): {
  /** The newest figures of one request; the same request may be told again with more. */
  request(id: string, tokens: Tokens): AgentEvent;
  /** The agent's own total of this invocation. */
  total(tokens: Tokens, cost?: number): AgentEvent;
} {
  const open = new Map<string, Tokens>();
  const settled: Tokens = { input: 0, output: 0 };
  const told: Tokens & { cost?: number } = { input: 0, output: 0 };
  const tell = (tokens: Tokens, cost?: number): AgentEvent => {
    told.input = Math.max(told.input, tokens.input);
    told.output = Math.max(told.output, tokens.output);
    if (cost !== undefined) told.cost = Math.max(told.cost ?? 0, cost);
    return {
      type: 'usage',
      scope: 'run',
      input_tokens: told.input,
      output_tokens: told.output,
      ...(told.cost === undefined ? {} : { cost_usd: told.cost }),
    };
  };
  return {
    request(id, tokens) {
      const before = open.get(id) ?? { input: 0, output: 0 };
      open.set(id, {
        input: Math.max(before.input, tokens.input),
        output: Math.max(before.output, tokens.output),
      });
      const [oldest] = open;
      if (oldest && open.size > REQUESTS_KEPT) {
        settled.input += oldest[1].input;
        settled.output += oldest[1].output;
        open.delete(oldest[0]);
      }
      const sum = { ...settled };
      for (const { input, output } of open.values()) {
        sum.input += input;
        sum.output += output;
      }
      return tell(sum);
    },
    total: tell,
  };
}
