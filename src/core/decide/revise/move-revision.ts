import type { Input } from '../../contracts/input.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { type Decision, NOTHING } from '../decision.ts';
import { evolve } from '../evolve.ts';
import { finishRun } from '../finish-run.ts';
import { requestVerification } from '../verify-afresh.ts';
import { endRevision } from './end-revision.ts';

type Moved = Extract<Input, { type: 'head_moved' }>;

/**
 * V-5: somebody pushed to the branch before the work of the round was on it. The round builds on that head now, so what it
 * would publish was never checked: it is verified again, unless a person accepted the work as it is, or the head has the same
 * files. This happens once for each round.
 */
export function moveRevision(state: RunState, { at, round, head, changeset, verified }: Moved): Decision {
  const { status, finished, publishing, fresh_verification } = state;
  if (status !== 'reviewing' || !finished || publishing?.number !== round || publishing.moved) return NOTHING;
  const event: RunEvent = { type: 'revision_moved', at, round, head, changeset, verified };
  const moved = evolve(state, event);
  const { partial, reason, by, lost_verification } = finished;
  const { events, effects } =
    fresh_verification && by === undefined && !verified
      ? requestVerification(moved, at)
      : endRevision(moved, finishRun({ at, status: 'reviewing', partial, reason, by, lost_verification }));
  return { events: [event, ...events], effects: [{ type: 'describe_pull' }, ...effects] };
}
