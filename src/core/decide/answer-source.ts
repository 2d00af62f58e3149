import type { Effect } from '../contracts/effect.ts';
import type { CommandInput } from '../contracts/input.ts';
import { isUnderWay, type RunState } from '../contracts/run-state.ts';
import { adviseRotation } from './advise-rotation.ts';
import type { Decision } from './decision.ts';

/** Shows the author of a command its outcome, and advises them about secrets that they showed to everybody. */
export function answerSource(state: RunState, input: CommandInput, decision: Decision): Decision {
  const { events, effects } = decision;
  const { source, exposed = [], on } = input;
  const refused = events.some(({ type }) => type === 'command_refused');
  // Values that came after the run was over were stored before anybody could know that.
  const late: Effect[] =
    input.command.name === 'provide' && !isUnderWay(state) ? [{ type: 'forget_inputs' }] : [];
  return {
    events,
    effects: [
      ...reactTo(source, exposed.length > 0, 'eyes'),
      ...effects.map((effect) => (on !== undefined && effect.type === 'reply' ? { ...effect, on } : effect)),
      ...late,
      ...(exposed.length > 0 ? [adviseAbout(input, decision)] : []),
      ...reactTo(source, exposed.length > 0, refused ? 'confused' : 'rocket'),
    ],
  };
}

/** A tick has no comment to react to, and a comment with a secret in it is deleted. */
function reactTo(
  source: string | undefined,
  isDeleted: boolean,
  reaction: 'eyes' | 'rocket' | 'confused',
): Effect[] {
  const isReview = source?.startsWith('review:');
  if (source === undefined || !(isReview || (source.startsWith('comment:') && !isDeleted))) return [];
  return [{ type: 'react', source, reaction }];
}

function adviseAbout({ source, exposed = [], on }: CommandInput, { events }: Decision): Effect {
  const given = events.flatMap((event) => (event.type === 'inputs_given' ? [event.inputs] : []));
  const stored = exposed.filter(({ key }) => key !== undefined && given.some((inputs) => key in inputs));
  const found = source?.startsWith('review:') ? 'review' : 'comment';
  return { type: 'reply', on, reply: adviseRotation(exposed, stored, { found }) };
}
