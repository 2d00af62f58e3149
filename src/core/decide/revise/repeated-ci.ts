import type { CommandName } from '../../contracts/command.ts';
import type { Escalation } from '../../contracts/escalation.ts';
import type { Option } from '../../contracts/guard.ts';
import type { CiReport, FailedCheck } from '../../contracts/revision.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { KnownCi, RunState } from '../../contracts/run-state.ts';
import type { GivenAnswer } from '../answer/given-command.ts';
import { closingEffects, resolveQuestion } from '../close-question.ts';
import { type Decision, NOTHING, refuse } from '../decision.ts';
import { measureAtDesk } from '../measure-at-desk.ts';
import { announceQuestion } from '../raise-escalation.ts';
import { replyTo } from '../reply-to.ts';
import { askRevision } from './ask-revision.ts';

/** The trigger's name in the journal. It is no guard of a turn, because it counts rounds. */
const SAME_CI_ERROR = 'same_ci_error';
const ROUNDS = 3;

/** V-7: the check that failed with the same error in this and the rounds before. A question about it restarts the count. */
export function repeatedError(
  ci: readonly KnownCi[],
  { round, report }: { round: number; report: CiReport },
): FailedCheck | undefined {
  return report.failed.find(({ name, signature }) => {
    const rounds = new Set([round]);
    for (const known of ci.toReversed()) {
      const isSame = known.failed.some((check) => check.name === name && check.signature === signature);
      if (!isSame || known.escalation) break;
      rounds.add(known.round);
    }
    return rounds.size >= ROUNDS;
  });
}

interface Repeated {
  at: string;
  report: CiReport;
  check: FailedCheck;
}

export function askAboutRepeatedCi(state: RunState, { at, report, check }: Repeated, rules: Rules): Decision {
  const { name, error = 'no error was found in its log', step } = check;
  const escalation: Escalation = {
    id: `e${state.escalations.length + 1}`,
    type: 'repeated_error',
    status: 'pending',
    priority: 'normal',
    headline: `CI fails with the same error ${ROUNDS} rounds in a row: ${name}`,
    question: `The same CI error occurred in ${ROUNDS} rounds. How to proceed?`,
    why: `On ${report.head.slice(0, 7)}${step ? `, in the step ${step}` : ''}: ${error}`,
    headers: ['Error Threshold'],
    category: 'test_failure',
    triggers: [
      {
        guard: SAME_CI_ERROR,
        kind: 'attempt_count',
        threshold: ROUNDS,
        observed: ROUNDS,
        evidence: {},
        shown: { counter: 'Rounds with this error', figure: `${ROUNDS}/${ROUNDS}` },
      },
    ],
    context: measureAtDesk(state, at, rules).context,
    inputs: [],
    options: OPTIONS,
    created_at: at,
    responses: [],
    reminders: 0,
    during_turn: false,
    rearm: [],
  };
  return announceQuestion(state, escalation, state.guards, at);
}

const OPTIONS: Option[] = [
  { id: 'fix-ci', label: 'Try again', description: 'one more round with this log', command: '/continue' },
  { id: 'ignore-ci', label: 'Leave it', description: 'the pull request stays as it is', command: '/accept' },
];

/** Commands that only ask, and the one that ends the run, have their own rule. */
const OWN_RULE: ReadonlySet<CommandName> = new Set(['status', 'help', 'review', 'terminate'] as const);

/** The answer to the question about an error that stays. Undefined: the command's own rule answers. */
export function answerRepeatedCi({ state, pending, input }: GivenAnswer): Decision | undefined {
  const { at, by, command } = input;
  const about = state.ci?.find(({ escalation }) => escalation === pending.id);
  if (!about || OWN_RULE.has(command.name)) return undefined;
  const { number } = about;
  const resolved = resolveQuestion(pending, input, 'resolved');
  switch (command.name) {
    case 'continue':
    case 'guide': {
      const instruction = command.name === 'guide' ? command.text : undefined;
      const ask = askRevision({ ...state, status: 'reviewing' }, { at, by, source: 'ci', instruction });
      return {
        events: [...resolved, { type: 'ci_answered', at, number, answer: 'fix', by }, ...ask.events],
        effects: [...closingEffects(pending), ...ask.effects],
      };
    }
    case 'accept':
    case 'skip':
    case 'cancel':
      // The label was removed or the issue closed: at rest that changes nothing.
      if (input.because) return NOTHING;
      return {
        events: [...resolved, { type: 'ci_answered', at, number, answer: 'ignore', by }],
        effects: [
          ...closingEffects(pending),
          replyTo(input, { tone: 'taken', title: 'Left as it is: ready for review.' }),
          // A round that was asked for while the question was open.
          ...(state.asked_revisions?.length ? [{ type: 'collect_revision' as const }] : []),
        ],
      };
    default:
      return refuse(input, {
        title: 'Nothing changed: CI still fails with the same error.',
        detail:
          'Try again with `/continue`, say how with `/guide <what to change>`, or leave it with `/accept`.',
        suggestion: '/continue',
      });
  }
}
