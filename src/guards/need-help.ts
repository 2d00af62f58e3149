import * as z from 'zod';
import { Evidence, type Guard } from '../core/contracts/guard.ts';
import { switchLimit } from './counting/limit-schema.ts';
import {
  acceptCurrent,
  cancel,
  inActionsSecrets,
  orderOptions,
  review,
  skipAndContinue,
} from './words/options.ts';
import { clip, oneLine, plural } from './words/wording.ts';

const RAW_KEPT = 64 * 1024;

const HelpState = z.object({
  asked: Evidence.pick({ help: true, help_raw: true, help_problem: true }).nullable(),
});
type HelpState = z.infer<typeof HelpState>;

const initial: HelpState = { asked: null };

/** P-1. A request that cannot be read also trips. */
export const needHelp: Guard<HelpState, 'on'> = {
  id: 'need_help',
  trips: 'the agent asks for help.',
  names: 'cause',
  header: 'Help Needed',
  counter: 'Help requested',
  hint: { text: 'Answer in your own words', command: '/guide <your answer>', first: true },
  category: 'external_dependency',
  type: 'need_help',
  kind: 'blocker_type',
  ...switchLimit(),
  initial,
  state: HelpState,
  reduce(state, event) {
    if (event.type === 'agent_changed' || event.type === 'turn_started') return initial;
    if (event.type === 'rearmed') return event.guards.includes('need_help') ? initial : state;
    if (event.type !== 'help_requested') return state;
    const { help, raw, problem } = event;
    return {
      asked: {
        ...(help && { help }),
        ...(raw !== undefined && { help_raw: clip(raw, RAW_KEPT) }),
        ...(problem !== undefined && { help_problem: problem }),
      },
    };
  },
  check({ asked }) {
    return asked
      ? { guard: 'need_help', kind: 'blocker_type', threshold: null, observed: 1, evidence: asked }
      : undefined;
  },
  headline({ evidence: { help } }) {
    if (!help) return 'the agent asked for help, but its message could not be read';
    const count = help.inputs.length;
    return count > 0 ? `${plural(count, 'value')} needed (0 of ${count} given)` : 'the agent has a question';
  },
  question({ evidence: { help, help_problem } }) {
    if (help) return `The agent asks for help: "${oneLine(help.what_i_need, 500)}". How to proceed?`;
    const why = help_problem ? ` (${oneLine(help_problem)})` : '';
    return `The agent asked for help, but its message could not be read${why}. How to proceed?`;
  },
  options({ evidence: { help } }, progress) {
    const { inputs = [] } = help ?? {};
    const asksForSecret = inputs.some((input) => input.secret);
    return orderOptions([
      ...(asksForSecret ? [inActionsSecrets(inputs.length)] : []),
      skipAndContinue(progress),
      acceptCurrent(progress),
      review,
      cancel,
    ]);
  },
};
