import type { Effect } from '../../contracts/effect.ts';
import type { Input } from '../../contracts/input.ts';
import type { CiReport, FailedCheck } from '../../contracts/revision.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import { isAtRest, type KnownCi, type RunState } from '../../contracts/run-state.ts';
import { type Decision, NOTHING } from '../decision.ts';
import { openCi } from './answer-ci.ts';
import { askRevision } from './ask-revision.ts';
import { askAboutRepeatedCi, repeatedError } from './repeated-ci.ts';

type Finished = Extract<Input, { type: 'ci_finished' }>;

/** V-7: one comment for each head, with what failed there. The same error in three rounds is a question instead. */
export function reportCi(state: RunState, input: Finished, rules: Rules): Decision {
  const { at, report } = input;
  const { ci = [] } = state;
  // In a round the head is about to change, and with a question open one more would not be read.
  if (!isAtRest(state) || state.pending !== undefined) return NOTHING;
  const known = ci.find(({ head }) => head === report.head);
  if (known ? isSame(known, report) : !isWorthNoting(ci, report)) return NOTHING;
  const number = known?.number ?? (ci.at(-1)?.number ?? 0) + 1;
  const reported = {
    type: 'ci_reported' as const,
    ...{ at, number, report },
    round: state.revisions?.at(-1)?.number ?? 1,
  };
  const repeated = known ? undefined : repeatedError(ci, reported);
  if (repeated) {
    const asked = askAboutRepeatedCi(state, { at, report, check: repeated }, rules);
    return {
      events: [{ ...reported, escalation: `e${state.escalations.length + 1}` }, ...asked.events],
      effects: [...outdated(state, number), ...asked.effects],
    };
  }
  if (isStarted(input, known)) return startRound(state, reported, at);
  return { events: [reported], effects: [...outdated(state, number), ...comment(known, report, number)] };
}

/** A head on which everything passes is noted silently if the one before failed, so that failures in a row are known. */
function isWorthNoting(ci: readonly KnownCi[], report: CiReport): boolean {
  return isShown(report) || (ci.at(-1)?.failed.length ?? 0) > 0;
}

function isShown({ failed, flaky, waiting, conflict }: CiReport): boolean {
  return conflict || failed.length + flaky.length + waiting.length > 0;
}

function comment(known: KnownCi | undefined, report: CiReport, number: number): Effect[] {
  return known || isShown(report) ? [{ type: 'show_ci', number }] : [];
}

/** Two reports say the same. A log may have come since, which is no reason to write again. */
function isSame(known: CiReport, report: CiReport): boolean {
  const facts = ({ failed, flaky, waiting, conflict }: CiReport) =>
    JSON.stringify([failed.map(({ name }) => name), flaky, waiting.map(({ name }) => name), conflict]);
  return facts(known) === facts(report);
}

/** The boxes of an older head do not count any more. */
function outdated(state: RunState, number: number): Effect[] {
  const open = openCi(state);
  return open && open.number !== number ? [{ type: 'show_ci', number: open.number }] : [];
}

/** A round helps only if the pull request itself broke something. */
function isStarted({ on_failure, report }: Finished, known: KnownCi | undefined): boolean {
  const isOurs = ({ base }: FailedCheck) => base.result !== 'fails';
  return on_failure === 'start' && !known && report.failed.some(isOurs);
}

function startRound(
  state: RunState,
  reported: Extract<RunEvent, { type: 'ci_reported' }>,
  at: string,
): Decision {
  const by = state.requested_by;
  const { number } = reported;
  const { events, effects } = askRevision(state, { at, by, source: 'ci' });
  return {
    events: [reported, { type: 'ci_answered', at, number, answer: 'fix', by }, ...events],
    effects: [...outdated(state, number), { type: 'show_ci', number }, ...effects],
  };
}
