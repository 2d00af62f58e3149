import type { Outgoing } from '../contracts/effect.ts';

interface LaneOrder {
  /** Effects of one slot are performed one after the other, in the order they were decided. */
  slot: string;
  /** Lower ranks overtake higher ones. */
  rank: number;
  /** A newer effect of the slot makes those that still wait superfluous. */
  replaces: boolean;
}

const URGENT = 0;
const NORMAL = 1;
const LATE = 2;

/** How an effect is ordered among those of its issue, so that one that GitHub refuses holds up nothing unrelated. */
export function laneOrder(effect: Outgoing, run: string, id: string): LaneOrder {
  const inOrder = (slot: string, rank = NORMAL): LaneOrder => ({ slot, rank, replaces: false });
  const newest = (slot: string): LaneOrder => ({ slot, rank: NORMAL, replaces: true });
  switch (effect.type) {
    // Apart from starting jobs: a cancel that GitHub refuses must not keep the run from its next job.
    case 'stop_job':
    case 'stop_verification':
      return inOrder(`stop:${run}`, URGENT);
    case 'dispatch_job':
    case 'dispatch_verification':
      return inOrder(`job:${run}`, URGENT);
    case 'delete_comment':
      return inOrder(`delete:${effect.comment}`, URGENT);
    case 'react':
      return inOrder(`react:${effect.source}`, effect.reaction === 'eyes' ? URGENT : NORMAL);
    case 'update_status':
      return newest(`status:${run}`);
    case 'ask':
    case 'close_question':
      return inOrder(`question:${run}.${effect.escalation}`);
    // People are told also while GitHub does not take the question.
    case 'notify':
      return inOrder(`notify:${run}.${effect.escalation}`);
    case 'show_review':
      return inOrder(`review:${run}`);
    // The values are needed to search the work for them, and a round begins on the head that the one before has published.
    case 'publish':
    case 'run_ci':
    // Whether the work was published tells whether there is any to put aside.
    case 'settle_pull':
      return inOrder(`work:${run}`);
    // The receipt and the answers may have been put off: what is ready of them comes first, because the values are needed to redact
    // it, and because remarks that are not answered yet would be taken up again.
    case 'forget_inputs':
    case 'collect_revision':
      return inOrder(`work:${run}`, LATE);
    // These tell of the work, so they put themselves off while it is published. If GitHub refuses one, nothing else waits for it.
    case 'show_receipt':
      return newest(`receipt:${run}`);
    case 'answer_remarks':
      return newest(`answers:${run}.${effect.round}`);
    case 'describe_pull':
      // The boxes that were ticked are in the effect, and a later one does not have them.
      return effect.ticked?.length ? inOrder(`describe:${id}`) : newest(`describe:${run}`);
    case 'show_ci':
      return inOrder(`ci:${run}.${effect.number}`);
    case 'save_blocked_report':
      return inOrder(`report:${run}`);
    case 'reply':
    case 'notice':
      return inOrder(`reply:${id}`);
  }
}
