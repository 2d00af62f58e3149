import { provideForm } from '../../contracts/command.ts';
import type { Reply } from '../../contracts/effect.ts';
import { type Escalation, missingInputs } from '../../contracts/escalation.ts';
import { type Decision, refuse } from '../decision.ts';
import type { GivenAnswer } from './given-command.ts';

/** P-5: the agent cannot resume without the values it asked for. */
export function refuseMissing({ state, pending, input }: GivenAnswer): Decision | undefined {
  const missing = missingInputs(pending, state.given);
  return missing.length > 0 ? refuse(input, stillMissing(missing, pending.inputs.length)) : undefined;
}

export function stillMissing(missing: Escalation['inputs'], asked: number): Omit<Reply, 'tone'> {
  const names = missing.map((wanted) => `${wanted.label} (\`${wanted.key}\`)`).join(', ');
  return {
    title: `${asked - missing.length} of ${asked} values given.`,
    detail: `Still missing: ${names}. To continue without ${missing.length === 1 ? 'it' : 'them'}, use \`/guide\`.`,
    suggestion: provideForm(missing.map(({ key }) => key)),
  };
}
