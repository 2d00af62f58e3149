import type { Effect } from '../../contracts/effect.ts';
import type { RevisionOutcome } from '../../contracts/revision.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import type { RunningRevision, RunState } from '../../contracts/run-state.ts';
import { settleRemarks } from '../../work/settle-remarks.ts';
import type { Decision } from '../decision.ts';

type Finished = Extract<RunEvent, { type: 'run_finished' }>;

/**
 * V-1: a round that ends without a result does not end its run, which rests again at the head it had before. Only a merge, a
 * close and `/terminate` end the run. The remarks are answered after a round with a result.
 */
export function endRevision(state: RunState, decision: Decision): Decision {
  const { revision } = state;
  const finished = decision.events.find((event) => event.type === 'run_finished');
  // V-6: an update that was asked for while the work was built begins when it is ready.
  if (!revision && finished?.status === 'reviewing')
    return { ...decision, effects: [...decision.effects, ...next(state, finished)] };
  if (!revision || !finished) return decision;
  const work = withLastTurn(state, revision, decision);
  const outcome = outcomeOf(finished, work);
  const ended = describeEnd(work, finished, outcome);
  if (outcome === 'done' || outcome === 'partial')
    return {
      events: insertBefore(decision.events, finished, ended),
      effects: [
        ...decision.effects,
        ...answers(revision),
        // After the replies, the description no longer counts those remarks as open.
        ...(revision.remarks.length > 0 ? [{ type: 'describe_pull' as const }] : []),
        ...next(state, finished),
      ],
    };
  if (ENDING.has(finished.status))
    return {
      events: insertBefore(decision.events, finished, ended),
      effects: [
        // Before the values are deleted that its work is searched for.
        ...keepWork(finished),
        ...decision.effects,
        // The description must not say for ever that the round runs.
        { type: 'describe_pull' },
        ...sayJudged(revision, finished),
      ],
    };
  const { before } = revision;
  const rest: Finished = {
    type: 'run_finished',
    at: finished.at,
    status: 'reviewing',
    partial: before.finished?.partial ?? true,
    reason: before.finished?.reason ?? finished.reason,
    by: before.finished?.by,
    lost_verification: before.finished?.lost_verification,
  };
  return {
    events: decision.events.flatMap((event) => (event === finished ? [ended, rest] : [event])),
    effects: [
      ...decision.effects.filter(({ type }) => type !== 'publish'),
      ...(outcome === 'unchanged' ? answers(revision) : []),
      { type: 'describe_pull' },
      // Where remarks are answered, the answers say it.
      ...(outcome === 'unchanged' && revision.remarks.length > 0 ? [] : [sayEnd(revision, finished)]),
      ...next(state, finished),
    ],
  };
}

function outcomeOf({ status, partial, by }: Finished, work: LastTurn): RevisionOutcome {
  if (status === 'reviewing' && partial)
    return by !== undefined && isUnchanged(work) ? 'unchanged' : 'partial';
  if (status === 'reviewing') return 'done';
  if (status === 'approved') return 'merged';
  return status === 'failed' && by === undefined ? 'failed' : 'cancelled';
}

/** Nothing was added to the verified work, so what was said about it stays true. At a terminal the files are those of the run. */
function isUnchanged({ paths, revision: { head, update, unpublished } }: LastTurn): boolean {
  return head !== undefined && !update && !unpublished && paths.length === 0;
}

function describeEnd(
  { turns, revision, paths, applied }: LastTurn,
  { at, reason }: Finished,
  outcome: RevisionOutcome,
): RunEvent {
  const report = turns.slice(revision.before.turns).findLast((turn) => turn.read?.report?.remarks);
  const changed = new Set(paths);
  const answers = report?.read?.report?.remarks ?? [];
  const remarks = settleRemarks(revision.remarks, answers, { changed, applied: new Set(applied) });
  return { type: 'revision_ended', at, outcome, reason, remarks };
}

interface LastTurn {
  turns: RunState['turns'];
  revision: RunningRevision;
  /** The files that the round changed: by the desk's own reading, or at a terminal by the runner's. */
  paths: string[];
  /** The remarks whose suggestion is in the work. */
  applied: string[];
}

/** The turn whose end ended the round is not in the state yet. */
function withLastTurn({ turns }: RunState, revision: RunningRevision, { events }: Decision): LastTurn {
  const last = events.find((event) => event.type === 'turn_ended');
  const told = last?.record.changes ?? revision.changes;
  const paths = last?.files ?? revision.files ?? told?.paths ?? [];
  const applied = (last?.files ? last.applied : revision.applied) ?? [];
  return { turns: last ? [...turns, last.record] : turns, revision, paths, applied };
}

function answers({ number, remarks }: RunningRevision): Effect[] {
  return remarks.length === 0 ? [] : [{ type: 'answer_remarks', round: number }];
}

/** A round that was asked for meanwhile begins when this one has ended. */
function next({ asked_revisions = [] }: RunState, { status }: Finished): Effect[] {
  if (asked_revisions.length === 0 || status === 'approved') return [];
  return [{ type: 'collect_revision' }];
}

/** Only these end the run. */
const ENDING: ReadonlySet<Finished['status']> = new Set(['approved', 'rejected', 'terminated_by_human']);

/** A person who merges or closes it may not know that there is work. `/terminate` says that it is not wanted. */
function keepWork({ status }: Finished): Effect[] {
  return status === 'terminated_by_human' ? [] : [{ type: 'publish', ready: true }];
}

/** The person who merged or closed it may not know of the round. */
function sayJudged({ number }: RunningRevision, { status, by = 'someone' }: Finished): Effect[] {
  if (status === 'terminated_by_human') return [];
  const how = status === 'approved' ? 'merged' : 'closed';
  const title = `Round ${number} was stopped: the pull request was ${how} by ${by}. Its changes are not part of it.`;
  return [{ type: 'reply', reply: { tone: 'info', title } }];
}

function sayEnd({ number, head }: RunningRevision, { reason, status, by }: Finished): Effect {
  const kept = head === undefined ? 'The files stay as they are now.' : 'The pull request stays as it was.';
  const how =
    status === 'reviewing'
      ? `was accepted by ${by} without a change`
      : `${status === 'failed' ? 'failed' : 'was stopped'}: ${reason}`;
  return { type: 'reply', reply: { tone: 'info', title: `Round ${number} ${how}. ${kept}` } };
}

function insertBefore(events: RunEvent[], before: RunEvent, added: RunEvent): RunEvent[] {
  return events.flatMap((event) => (event === before ? [added, event] : [event]));
}
