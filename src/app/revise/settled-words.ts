import type { WordsRead } from '../../core/contracts/revision.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { PullReview, ThreadComment } from '../../core/ports/github/review-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { readMarker } from '../upsert-comment.ts';
import { hasResult } from './last-result.ts';
import { readReplyOp } from './remark-marker.ts';

/** The words that rounds of the run have settled, so that they are not taken again. */
export interface SettledWords {
  /** Our answer in a thread, and the words it is about. Undefined: the comment is none, or it says that the remark is open. */
  answerIn(comment: ThreadComment): { read?: WordsRead } | undefined;
  /** The words of a thread that were answered in a summary, because GitHub refuses the reply in the thread. */
  inSummary?(thread: string): { read?: WordsRead; created_at: string } | undefined;
  /** Whether the words of a review as a whole are settled as they stand now. */
  isSettled(review: PullReview): boolean;
}

type EndedRound = NonNullable<RunState['revisions']>[number];
type EndedRemark = EndedRound['remarks'][number];

/** The reply says that the remark is still open, and so it is. */
const OPEN: ReadonlySet<string | undefined> = new Set(['unanswered', 'unchanged']);

/** `answered`: the rounds whose answers are on the pull request. The others have settled nothing. */
export function settledWords(
  deps: AppDependencies,
  { revisions = [] }: Pick<RunState, 'revisions'>,
  pull: number,
  answered: ReadonlyMap<number, ReadonlySet<string>>,
): SettledWords {
  // The words of a review belong to a round without a result no more than to none.
  const rounds = revisions.filter(hasResult);
  const since = rounds.findLast(isOlder)?.at ?? '';
  return {
    answerIn(comment) {
      const about = readReplyOp(readMarker(comment.body)?.op);
      if (!about || !isOurs(deps, comment, pull)) return undefined;
      const ended = revisions.find(({ number }) => number === about.round);
      const remark = ended?.remarks.find(({ id }) => id === about.remark);
      return OPEN.has(remark?.result) ? undefined : { read: remark?.read };
    },
    inSummary(thread) {
      const found = rounds.flatMap(({ number, remarks, ended_at }) =>
        remarks
          .filter((remark) => remark.thread === thread && answered.get(number)?.has(remark.id))
          .filter(({ result }) => !OPEN.has(result))
          .map(({ read }) => ({ read, created_at: ended_at })),
      );
      return found.at(-1);
    },
    isSettled({ id, submitted_at = '', edited_at = '' }) {
      if (submitted_at <= since) return true;
      return rounds.some(
        ({ number, remarks, ended_at }) =>
          answered.has(number) &&
          remarks.some(
            (remark) => isAbout(remark, id) && !isEditedIn({ edited_at, ended_at }, remark.read?.at ?? ''),
          ),
      );
    },
  };
}

/** Nobody has seen a reply of a review that was never submitted. */
function isOurs(deps: AppDependencies, comment: ThreadComment, pull: number): boolean {
  const { body, author, author_type, is_own, is_pending } = comment;
  if (!is_own || is_pending) return false;
  // GraphQL says who wrote it where REST names the App.
  return deps.ownership.isOurs({ body, author, author_type }, pull) || author_type === 'Bot';
}

/** A round of an older version does not say which words it had: it had all that were there. */
function isOlder({ remarks }: EndedRound): boolean {
  return remarks.length > 0 && remarks.every(({ read }) => read === undefined);
}

function isAbout({ thread, read, result }: EndedRemark, review: number): boolean {
  return thread === undefined && read?.id === review && !OPEN.has(result);
}

function isEditedIn({ edited_at, ended_at }: { edited_at: string; ended_at: string }, read: string): boolean {
  return edited_at > read && edited_at <= ended_at;
}
