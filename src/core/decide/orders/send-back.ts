import type { RunState } from '../../contracts/run-state.ts';
import type { WorkFacts } from '../../contracts/work-facts.ts';
import type { Decision } from '../decision.ts';
import { tellNextTurn } from './tell-next-turn.ts';

const LEAKS_NAMED = 5;

/** A value in a file is a slip the agent can mend: like a check that fails, it is told and goes on. */
export function sendBack(state: RunState, at: string, leaks: WorkFacts['secrets']): Decision {
  const named = leaks.slice(0, LEAKS_NAMED).map(({ path, key }) => `- ${path}: the value of ${key}`);
  const more = leaks.length > named.length ? [`- and ${leaks.length - named.length} more`] : [];
  const instruction = [
    'The work is not accepted: it contains values that were given in secret and must never be committed.',
    ...named,
    ...more,
    'Take them out, read them from the environment at run time, and report again.',
  ].join('\n');
  const id = `leak.${state.turns.length}`;
  return tellNextTurn(at, { id, command: 'guide', by: 'autobuild', instruction });
}
