import type { InputRef } from '../../contracts/command.ts';
import { isAboutJobs } from '../../contracts/escalation.ts';
import type { Orders } from '../../contracts/orders.ts';
import type { Revision } from '../../contracts/revision.ts';
import type { TurnKind } from '../../contracts/run-event.ts';
import {
  isUnderWay,
  lastVerification,
  pendingEscalation,
  type RunningRevision,
  type RunState,
} from '../../contracts/run-state.ts';
import { secretKeysOf } from '../../secrets/secrets-of-run.ts';
import { earlierTurns } from './earlier-turns.ts';

export function ordersFor(state: RunState): Orders {
  if (!isUnderWay(state)) return { do: 'stop', status: state.status };
  const pending = pendingEscalation(state);
  // A job that begins late, while people are asked why none does, would wait for an answer that is not for it.
  if (pending && !isAboutJobs(pending)) return { do: 'wait', escalation: pending.id };
  if (pending || state.paused || state.verifying !== undefined) return { do: 'park' };
  const kind = nextKind(state);
  const turn = nextTurn(state, kind);
  return {
    do: 'work',
    turn,
    kind,
    resumed: state.turn_open || (kind === 'normal' && turn === state.turn),
    agent: state.agent,
    predecessor: state.predecessor,
    earlier: earlierTurns(state),
    limits: state.limits,
    limits_rev: state.limits_rev,
    approved_paths: state.approved_paths,
    approved_names: state.approved_names,
    approved_files: state.approved_files,
    approved_folders: state.approved_folders,
    answers: state.answers,
    revision: state.revision && roundOf(state.revision),
    inputs: inputsOf(state),
    secret_inputs: [...secretKeysOf(state)],
    guidance: kind === 'debug' && state.debug ? [...state.guidance, state.debug] : state.guidance,
    feedback: lastVerification(state) ?? state.baseline,
    known_issues: state.known_issues,
    blocked_report: state.blocked_report,
    handoff_path: state.handoff_path,
  };
}

/** V-1: the values of earlier rounds were deleted when the run came to rest, so a round has its own only. */
function inputsOf({ escalations, revision }: RunState): Record<string, InputRef> {
  const since = revision?.moved ?? revision?.at ?? '';
  const own = escalations.filter(({ created_at }) => created_at >= since);
  return Object.assign({}, ...own.map(({ resolution }) => resolution?.inputs ?? {}));
}

function roundOf({
  at: _at,
  before: _before,
  files: _files,
  applied: _applied,
  moved: _moved,
  ...revision
}: RunningRevision): Revision {
  return revision;
}

/** Only an answer that ends the turn changes the kind of turn. After a hint, a debugging turn stays one. */
function nextKind(state: RunState): TurnKind {
  const ending = state.answers.findLast((answer) => answer.ends_turn);
  return ending?.next_turn ?? (state.turn_open ? state.turn_kind : 'normal');
}

/** A debugging turn has the number of the turn it investigates, because it is no iteration of its own (G-8). */
export function nextTurn(state: RunState, kind: TurnKind): number {
  if (state.turn_open || kind === 'debug') return Math.max(1, state.turn);
  // A turn that was interrupted for a debugging turn has no record yet, so it comes next.
  return (state.turns.findLast((record) => record.kind === 'normal')?.turn ?? 0) + 1;
}
