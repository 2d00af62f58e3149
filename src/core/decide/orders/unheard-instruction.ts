import type { Answer } from '../../contracts/answer.ts';
import type { RunState } from '../../contracts/run-state.ts';

/** E-11: a person gave an instruction that no turn has received. The run is not complete before one has. */
export function hasUnheardInstruction({ answers }: Pick<RunState, 'answers'>): boolean {
  return answers.some(carriesInstruction);
}

/** Resuming and larger limits carry no instruction. Neither does an approval, because it applies to the work at once. */
export function carriesInstruction({
  command,
  instruction,
  agent_changed,
}: Pick<Answer, 'command' | 'instruction' | 'agent_changed'>): boolean {
  return agent_changed || (command !== 'approve' && instruction !== '');
}
