import type { CommandInput } from '../../contracts/input.ts';
import type { RevisionSource } from '../../contracts/revision.ts';
import { type KnownCi, phaseOf, type RunState } from '../../contracts/run-state.ts';
import type { GivenCommand } from '../answer/given-command.ts';
import { type Decision, refuse } from '../decision.ts';
import { replyTo } from '../reply-to.ts';

/** The newest report, if its failures wait for a word of a person. */
export function openCi({ ci = [] }: RunState): KnownCi | undefined {
  const newest = ci.at(-1);
  return newest && newest.failed.length > 0 && !newest.answer ? newest : undefined;
}

/** V-7: `/continue` and the box *Fix it*. A round that a person begins takes the failures of CI with it. */
export function fixCi({ state, input }: GivenCommand, ask: Ask): Decision {
  const open = openCi(state);
  const isTick = input.escalation !== undefined;
  if (isTick && input.escalation !== `c${open?.number}`) return refuseOld(state, input);
  const { events, effects } = ask(isTick ? 'ci' : undefined);
  if (!open || phaseOf(state) !== 'resting') return { events, effects };
  const { at, by } = input;
  const { number } = open;
  return {
    events: [{ type: 'ci_answered', at, number, answer: 'fix', by }, ...events],
    effects: [{ type: 'show_ci', number }, ...effects],
  };
}

/** Asks for the round. The source is that of the command, if none is given. */
type Ask = (source?: RevisionSource) => Decision;

/** V-7: `/skip` and the box *Ignore*. Undefined if no failure of CI waits. */
export function ignoreCi({ state, input }: GivenCommand): Decision | undefined {
  const open = openCi(state);
  const isTick = input.escalation !== undefined;
  if (isTick && input.escalation !== `c${open?.number}`) return refuseOld(state, input);
  if (!open) return undefined;
  const { at, by } = input;
  return {
    events: [{ type: 'ci_answered', at, number: open.number, answer: 'ignore', by }],
    effects: [
      { type: 'show_ci', number: open.number },
      replyTo(input, { tone: 'taken', title: `CI is ignored on \`${open.head.slice(0, 7)}\`.` }),
    ],
  };
}

/** the box may be one of a question, whose answer brought the run to rest. */
function refuseOld({ escalations }: RunState, input: CommandInput): Decision {
  const first = escalations.find(({ id }) => id === input.escalation)?.responses.at(-1);
  if (first)
    return refuse(input, {
      title: `Nothing changed: ${first.by} answered first, with /${first.command.name}.`,
      detail: 'The pull request is ready. `/guide <what to change>` asks for a change.',
    });
  return refuse(input, {
    title: 'Nothing changed: that was about an older commit, or was answered before.',
    detail: 'The newest comment about CI has the boxes that count.',
  });
}
