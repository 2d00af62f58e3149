import type { CommandOf, GivenAnswer, GivenCommand } from '../answer/given-command.ts';
import { resumeRun } from '../answer/resume-run.ts';
import { steerRun } from '../answer/steer-run.ts';
import type { Decision } from '../decision.ts';
import { replyTo } from '../reply-to.ts';
import { askRevision } from '../revise/ask-revision.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE } from './refused.ts';

/** E-10: a hint, after which the agent keeps its approach. */
export const guideRule: CommandRule<CommandOf<'guide'>> = {
  ...REFUSED_LATE,
  listed: { asked: 'first', working: 'last', paused: 'last', resting: 'last' },
  /** V-2: a round with the person's own words. */
  resting({ state, input, command }) {
    const { at, by, said_at } = input;
    const ask = { at, by, said_at, source: 'command' as const, instruction: command.text };
    return askRevision(state, ask, (reply) => replyTo(input, reply));
  },
  asked(answer) {
    const settles = isOffered(answer) ? 'everything' : 'help';
    return resumeRun(answer, { instruction: instruct(answer), settles });
  },
  working: hint,
  paused: hint,
};

function hint(given: GivenCommand<CommandOf<'guide'>>): Decision {
  return steerRun(given, { instruction: instruct(given) });
}

function instruct({ input, command }: GivenCommand<CommandOf<'guide'>>): string {
  return `Guidance from ${input.by}: ${command.text}`;
}

/** An offered text says what becomes of reverted edits; the operator's own words do not. */
function isOffered({ pending, command }: GivenAnswer<CommandOf<'guide'>>): boolean {
  return pending.options.some((option) => option.command === `/guide ${command.text}`);
}
