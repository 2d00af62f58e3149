import type { Outgoing } from '../contracts/effect.ts';

interface LaneOrder {
  /** Effects of one slot are performed one after the other, in the order they were decided. */
  slot: string;
  /** Lower ranks overtake higher ones. */
  rank: number;
  /** A newer effect of the slot makes those that still wait superfluous. */
  replaces: boolean;
}

/** Stored, and in an index of the databases. */
export const URGENT = 0;
const NORMAL = 1;

/**
 * Effects that only say something about the work. Each has its turn in the order of the slot, because it tells what became of the
 * effects before it. Once GitHub has refused it, those behind it go first, because none of them needs it to have been said:
 * the values that are deleted then were hidden when a job told of them, and are looked for once more at each try while they are there.
 */
export const WORDS_ABOUT_WORK = [
  'show_receipt',
  'answer_remarks',
  'describe_pull',
] as const satisfies Outgoing['type'][];

/** How an effect is ordered among those of its issue, so that one that GitHub refuses holds up nothing unrelated. */
export function laneOrder(effect: Outgoing, run: string, id: string): LaneOrder {
  const inOrder = (slot: string, rank = NORMAL): LaneOrder => ({ slot, rank, replaces: false });
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
      return { slot: `status:${run}`, rank: NORMAL, replaces: true };
    case 'ask':
    case 'close_question':
      return inOrder(`question:${run}.${effect.escalation}`);
    // People are told also while GitHub does not take the question.
    case 'notify':
      return inOrder(`notify:${run}.${effect.escalation}`);
    case 'show_review':
      return inOrder(`review:${run}`);
    // The values are needed to search the work for them, and the receipt tells whether the work was published.
    case 'publish':
    case 'forget_inputs':
    case 'show_receipt':
    case 'run_ci':
    case 'describe_pull':
    // The replies name the commit, so they come after it. See `WORDS_ABOUT_WORK`.
    case 'answer_remarks':
    // A round begins on the head that the one before has published.
    case 'collect_revision':
    // Whether the work was published tells whether there is any to put aside.
    case 'settle_pull':
      return inOrder(`work:${run}`);
    case 'show_ci':
      return inOrder(`ci:${run}.${effect.number}`);
    case 'save_blocked_report':
      return inOrder(`report:${run}`);
    case 'reply':
    case 'notice':
      return inOrder(`reply:${id}`);
  }
}
