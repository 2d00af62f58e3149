import type { Answer } from '../../contracts/answer.ts';
import type { RunState } from '../../contracts/run-state.ts';

/** E-11: a person said something that no turn has heard yet. The run is not complete before one has. */
export function hasUnheardInstruction({ answers }: Pick<RunState, 'answers'>): boolean {
  return answers.some(carriesInstruction);
}

/** More than going on, and limits, which need no words. What is approved holds for the work at once: nothing is left to be said. */
export function carriesInstruction({
  command,
  instruction,
  agent_changed,
}: Pick<Answer, 'command' | 'instruction' | 'agent_changed'>): boolean {
  return agent_changed || (command !== 'approve' && instruction !== '');
}
