import type { RunEvent } from '../../contracts/run-event.ts';
import { firstBaseline, type RunState } from '../../contracts/run-state.ts';
import { figuresOf } from '../count-at-desk.ts';

/** A report replaces the one before about the same head. An older head keeps no logs, because nobody asks for them again. */
export function addReport(
  { ci = [] }: RunState,
  { at, number, round, report, escalation }: Extract<RunEvent, { type: 'ci_reported' }>,
): RunState['ci'] {
  const answer = ci.find((known) => known.number === number)?.answer;
  const older = ci
    .filter((known) => known.number !== number)
    .map((known) => ({ ...known, failed: known.failed.map(({ log: _, ...check }) => check) }));
  return [...older, { ...report, at, number, round, escalation, answer }];
}

/** The run leaves its rest. It keeps what it rested on, because a round without a result returns to it. */
export function beginRound(
  state: RunState,
  { at, revision, limits, guards }: Extract<RunEvent, { type: 'revision_started' }>,
): Partial<RunState> {
  const { finished, changeset, fresh, with_base, baseline, changes, known_issues, active_ms } = state;
  return {
    status: 'building',
    limits,
    guards,
    limits_rev: state.limits_rev + 1,
    rearmed_at: Object.fromEntries(
      Object.keys({ ...state.guards, ...limits }).map((guard) => [guard, state.limits_rev]),
    ),
    asked_revisions: undefined,
    publishing: undefined,
    revision: {
      ...revision,
      at,
      before: {
        ...{ finished, changeset, fresh, with_base, baseline, changes, known_issues, active_ms },
        turns: state.turns.length,
        cost_usd: state.usage.cost_usd,
        turn: state.turn,
        counted_turns: figuresOf(state).turns,
      },
    },
    began: {
      baseline: firstBaseline(state),
      paths: [...new Set([...(state.began?.paths ?? []), ...changes.paths])],
    },
    finished: undefined,
    changeset: undefined,
    fresh: undefined,
    with_base: undefined,
    baseline: undefined,
    blocked_report: undefined,
    losses: undefined,
  };
}

/** Keeps what a job tells of the files, for the run and for its round. Until a job of the round tells it, the run's are older work. */
export function noteChanges(
  { changes, revision }: RunState,
  told: RunState['changes'] | undefined,
): Pick<RunState, 'changes'> & Partial<Pick<RunState, 'revision'>> {
  if (!told) return { changes };
  return { changes: told, ...(revision && { revision: { ...revision, changes: told } }) };
}

export function endRound(
  state: RunState,
  event: Extract<RunEvent, { type: 'revision_ended' }>,
): Partial<RunState> {
  const { revision } = state;
  if (!revision) return {};
  const { number, by, source, url, head, at, before, remarks, update, unpublished } = revision;
  const places = new Map(remarks.map(({ id, thread, path, read }) => [id, { thread, path, read }]));
  const turns = state.turns.slice(before.turns);
  const cost = state.usage.cost_usd;
  const ended = {
    ...{ number, by, source, url, head, at, ...(update && { update }), ...(unpublished && { unpublished }) },
    ended_at: event.at,
    outcome: event.outcome,
    reason: event.reason,
    remarks: event.remarks.map((remark) => ({ ...remark, ...places.get(remark.id) })),
    turns: turns.length,
    cost_usd: cost === null ? null : cost - (before.cost_usd ?? 0),
    summary: turns.findLast((turn) => turn.title)?.title,
  };
  const { finished, changeset, fresh, with_base, baseline, changes, known_issues } = before;
  const isKept = event.outcome === 'done' || event.outcome === 'partial';
  return {
    revision: undefined,
    revisions: [...(state.revisions ?? []), ended],
    publishing: isKept ? revision : undefined,
    verifying: undefined,
    ...(isKept ? {} : { finished, changeset, fresh, with_base, baseline, known_issues }),
    // V-9: without a pull request the files stay as the round left them.
    ...(isKept || head === undefined ? {} : { changes }),
  };
}

/** The round is not over yet: it continues where the branch is now. */
export function moveRound(
  { publishing, revisions, fresh, with_base }: RunState,
  { at, head, changeset, verified }: Extract<RunEvent, { type: 'revision_moved' }>,
): Partial<RunState> {
  if (!publishing) return {};
  return {
    status: 'building',
    finished: undefined,
    revision: { ...publishing, head, moved: at },
    revisions: revisions?.slice(0, -1),
    publishing: undefined,
    changeset,
    ...(verified ? { fresh, with_base } : { fresh: undefined, with_base: undefined }),
  };
}
