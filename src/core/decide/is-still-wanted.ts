import type { Outgoing } from '../contracts/effect.ts';
import { isUnderWay, type RunState } from '../contracts/run-state.ts';

/** effects wait in a queue, so the run may have ended meanwhile. After a cancel only the final status is written. */
export function isStillWanted({ type }: Pick<Outgoing, 'type'>, state: RunState): boolean {
  switch (type) {
    case 'dispatch_job':
    case 'dispatch_verification':
      return isUnderWay(state);
    case 'collect_revision':
      return state.status === 'reviewing';
    // A round that continued on another head is not over.
    case 'show_receipt':
      return state.revision === undefined;
    // If it failed and is tried again, it would find the work of a later round, which nobody verified.
    case 'publish':
      return !wasStopped(state) && state.revision === undefined;
    // A completed or accepted run shows its question with the answer.
    case 'ask':
    case 'show_review':
    case 'notify':
    case 'run_ci':
      return !wasStopped(state);
    case 'update_status':
    case 'close_question':
    case 'reply':
    case 'react':
    case 'delete_comment':
    case 'notice':
    case 'save_blocked_report':
    case 'stop_job':
    case 'stop_verification':
    case 'answer_remarks':
    case 'describe_pull':
    case 'show_ci':
    case 'forget_inputs':
    case 'settle_pull':
      return true;
  }
}

/** A person ended the run, or nobody answered. */
function wasStopped({ status }: RunState): boolean {
  return status === 'cancelled' || status === 'terminated_by_human';
}

/** The run ended without a result, or its newest round did: then it rests where the round began, and nothing is asked. */
export function endedWithoutResult(state: RunState): boolean {
  const { pending, revision, revisions } = state;
  if (wasStopped(state)) return true;
  return pending === undefined && !revision && revisions?.at(-1)?.outcome === 'cancelled';
}
