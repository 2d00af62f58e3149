import type { Answer } from './answer.ts';
import type { RunState } from './run-state.ts';

/** E-11: a person said something that no turn has heard yet. The run is not complete before one has. */
export function hasUnheardInstruction({ answers }: Pick<RunState, 'answers'>): boolean {
  // What is approved while a turn runs holds for its work at once: nothing is left to be said.
  return answers.some((answer) => answer.command !== 'approve' && carriesInstruction(answer));
}

/** More than going on, and limits, which need no words. */
export function carriesInstruction({
  instruction,
  agent_changed,
}: Pick<Answer, 'instruction' | 'agent_changed'>): boolean {
  return instruction !== '' || agent_changed;
}
