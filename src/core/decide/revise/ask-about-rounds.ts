import { type CommandName, isAtTerminal } from '../../contracts/command.ts';
import type { Escalation } from '../../contracts/escalation.ts';
import type { Option } from '../../contracts/guard.ts';
import type { Input } from '../../contracts/input.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunState } from '../../contracts/run-state.ts';
import type { GivenAnswer } from '../answer/given-command.ts';
import { closingEffects, resolveQuestion } from '../close-question.ts';
import { type Decision, NOTHING, refuse } from '../decision.ts';
import { measureAtDesk } from '../measure-at-desk.ts';
import { announceQuestion } from '../raise-escalation.ts';
import { replyTo } from '../reply-to.ts';

type Revise = Extract<Input, { type: 'revise' }>;

/** The trigger's name in the journal. It is no guard of a turn, because it counts rounds. */
const MAX_ROUNDS = 'max_rounds';
const MORE = 5;

export function asksAboutRounds({ revisions = [], more_revisions = 0 }: RunState, max: number): boolean {
  return revisions.length >= max + more_revisions;
}

/** V-1: the rounds are used up, so a person decides whether more of them help. */
export function askAboutRounds(state: RunState, { at, revision, max }: Revise, rules: Rules): Decision {
  const used = state.revisions?.length ?? 0;
  const allowed = max + (state.more_revisions ?? 0);
  const open = revision.remarks.length;
  const remarks = open === 1 ? '1 remark is' : `${open} remarks are`;
  const measured = measureAtDesk(state, at, rules);
  const escalation: Escalation = {
    id: `e${state.escalations.length + 1}`,
    type: 'iteration_limit',
    status: 'pending',
    priority: 'normal',
    headline: `${used} of ${allowed} rounds used${open > 0 ? `, ${remarks} still open` : ''}`,
    question: `Round limit (${allowed}) reached. How to proceed?`,
    why:
      revision.head === undefined
        ? 'A change of your own may be quicker: the next round builds on it.'
        : "A person's commit on the branch may be quicker: the next round builds on it.",
    headers: ['Iteration Limit'],
    category: 'unclear_requirement',
    triggers: [
      {
        guard: MAX_ROUNDS,
        kind: 'attempt_count',
        threshold: allowed,
        observed: used,
        evidence: {},
        shown: { counter: 'Rounds', figure: `${used}/${allowed}` },
      },
    ],
    context: measured.context,
    inputs: [],
    options: optionsFor(revision),
    created_at: at,
    responses: [],
    reminders: 0,
    during_turn: false,
    rearm: [],
  };
  return announceQuestion(state, escalation, state.guards, at);
}

const optionsFor = ({ head }: Revise['revision']): Option[] => [
  {
    id: 'more-rounds',
    label: `Continue +${MORE}`,
    description: `${MORE} more rounds`,
    command: `/continue +${MORE}`,
  },
  {
    id: 'leave-it',
    label: 'Leave it',
    description: head === undefined ? 'the files stay as they are' : 'the pull request stays as it is',
    command: '/accept',
  },
];

function isAboutRounds({ triggers }: Escalation): boolean {
  return triggers.some(({ guard }) => guard === MAX_ROUNDS);
}

/** Commands that only ask, and the one that ends the run, have their own rule. */
const OWN_RULE: ReadonlySet<CommandName> = new Set(['status', 'help', 'review', 'terminate'] as const);

/** The answer to the question for more rounds. Undefined: the command's own rule answers. */
export function answerRounds({ pending, input }: GivenAnswer): Decision | undefined {
  if (!isAboutRounds(pending)) return undefined;
  const { at, by, command } = input;
  if (OWN_RULE.has(command.name)) return undefined;
  const resolved = resolveQuestion(pending, input, 'resolved');
  switch (command.name) {
    case 'continue': {
      const more = command.turns ?? MORE;
      return {
        events: [...resolved, { type: 'revisions_allowed', at, by, more }],
        effects: [
          ...closingEffects(pending),
          replyTo(input, { tone: 'taken', title: `Continuing, ${more} more round${more === 1 ? '' : 's'}.` }),
          { type: 'collect_revision' },
        ],
      };
    }
    case 'accept':
    case 'skip':
    case 'cancel':
      // The label was removed or the issue closed: at rest that changes nothing.
      if (input.because) return NOTHING;
      return {
        events: [...resolved, { type: 'revision_dropped', at, reason: `left as it is by ${by}` }],
        effects: [
          ...closingEffects(pending),
          replyTo(input, {
            tone: 'taken',
            title: isAtTerminal(input.via) ? 'Left as it is.' : 'Left as it is: ready for review.',
          }),
          { type: 'describe_pull' },
        ],
      };
    default:
      return refuse(input, {
        title: 'Nothing changed: the rounds are used up.',
        detail: 'Allow more with `/continue +5`, or leave the work as it is with `/accept`.',
        suggestion: '/continue +5',
      });
  }
}
