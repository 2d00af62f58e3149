import type { Brief } from '../src/core/contracts/brief.ts';
import type { Input } from '../src/core/contracts/input.ts';
import type { RunState } from '../src/core/contracts/run-state.ts';
import { decide } from '../src/core/decide/decide.ts';
import { evolve } from '../src/core/decide/evolve.ts';
import { briefFor } from '../src/core/decide/orders/brief-for.ts';
import { GuardConfig } from '../src/guards/guard-config.ts';
import { RULES } from '../src/guards/rules.ts';

export const SAMPLE_RUN = 'bench-run';

/** The request of an ordinary run, with the default limits. */
export function sampleRequest(): Input {
  return {
    type: 'request',
    at: new Date().toISOString(),
    run: SAMPLE_RUN,
    task: {
      id: 'bench',
      title: 'Reject expired tokens',
      body: 'A token is refused after its expiry date.',
      acceptance_criteria: ['an expired token is answered with 401'],
      source: 'bench.md',
    },
    agent: 'bench',
    agents: ['bench'],
    checks: ['npm test'],
    limits: GuardConfig.parse(undefined),
    known_errors: [],
    reminders: { every_ms: 3_600_000, high_every_ms: 900_000 },
    requested_by: 'bench',
  };
}

export function sampleBrief(): Brief {
  let state: RunState | undefined;
  for (const event of decide(undefined, sampleRequest(), RULES).events) state = evolve(state, event);
  if (!state) throw new Error('The request was not accepted.');
  return briefFor(state);
}
