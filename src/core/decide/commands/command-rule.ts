import type { SealedCommand } from '../../contracts/command.ts';
import type { GivenAnswer, GivenCommand } from '../answer/given-command.ts';
import type { Decision } from '../decision.ts';

export type Situation = 'asked' | 'working' | 'paused' | 'resting' | 'ended';

/** The effect of one command in every situation a run can be in. */
export interface CommandRule<Command extends SealedCommand = SealedCommand> {
  /** The position of the command in `/help`: before the options of the open question, or after them. Absent: not listed. */
  listed: Partial<Record<Situation, 'first' | 'last'>>;
  /** A question is open. */
  asked(answer: GivenAnswer<Command>): Decision;
  /** No question is open and the run is not paused. */
  working(given: GivenCommand<Command>): Decision;
  paused(given: GivenCommand<Command>): Decision;
  /** The work waits for a merge or a close. */
  resting(given: GivenCommand<Command>): Decision;
  ended(given: GivenCommand<Command>): Decision;
  /** The question that the command answers is closed already. */
  late(given: GivenCommand<Command>): Decision;
}
