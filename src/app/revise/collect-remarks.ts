import { readVisibleText } from '../../commands/reading/visible-text.ts';
import type { Remark } from '../../core/contracts/revision.ts';
import type { ReviewedPull, ReviewThread, ThreadComment } from '../../core/ports/github/review-port.ts';
import { readSuggestion } from './read-suggestion.ts';

const MOST = 200;
/** The length of a text as it was written, and of what is kept of it: no more than a prompt shows. */
const MAX_RAW = 20_000;
const MAX_TEXT = 4_000;
const MAX_EARLIER = 1_000;
const MAX_HUNK_LINES = 20;
const MAX_BEFORE = 20;
/** The length of all remarks of a round. The others stay open for the next. */
const MAX_ALL = 400_000;

export interface HeardRules {
  /** Texts that were written or edited later are for the next round. */
  until: string;
  /** The words of a review as a whole count once, so those that an earlier round had are left out. */
  since: string;
  /** Whether a comment is an answer of this desk. */
  isOurs(comment: ThreadComment): boolean;
  /** Whether the author's remarks count. */
  isHeard(author: { login: string; type: string }): boolean;
}

/**
 * V-3: the open remarks, as a reader sees them. A remark is open while its thread is not resolved and its newest word is later
 * than our last answer, because "not resolved" alone would be answered again in each round.
 */
export function collectRemarks(pull: ReviewedPull, rules: HeardRules): Remark[] {
  const remarks = [...ofThreads(pull, rules), ...ofReviews(pull, rules)];
  let left = MAX_ALL;
  return remarks
    .slice(0, MOST)
    .filter((remark) => {
      left -= JSON.stringify(remark).length;
      return left > 0;
    })
    .map((remark, index) => ({ ...remark, id: `R${index + 1}` }));
}

const EMPTY_BLOCK = /^(`{3,})\s*\1$/m;

type Unnamed = Omit<Remark, 'id'>;

function ofThreads({ threads }: ReviewedPull, rules: HeardRules): Unnamed[] {
  return threads.filter(({ is_resolved }) => !is_resolved).flatMap((thread) => readThread(thread, rules));
}

/** How many remarks are open, and by whom. */
export function countOpen(pull: ReviewedPull, rules: HeardRules): { author: string; is_bot: boolean }[] {
  const inThreads = pull.threads.flatMap((thread) =>
    thread.is_resolved ? [] : newWords(thread, rules).slice(-1),
  );
  return [...inThreads, ...requestsIn(pull, rules)].map(({ author, author_type }) => ({
    author,
    is_bot: author_type !== 'User',
  }));
}

function newWords({ comments }: ReviewThread, rules: HeardRules): ThreadComment[] {
  const answered = comments.findLastIndex(rules.isOurs);
  return comments
    .slice(answered + 1)
    .filter((comment) => !comment.is_own && comment.created_at <= rules.until && isHeardText(comment, rules));
}

function isHeardText(comment: ThreadComment, { until, isHeard }: HeardRules): boolean {
  return isHeard({ login: comment.author, type: comment.author_type }) && isOwnText(comment, until);
}

/** People with write access can edit the texts of others, and a text may change after the round was asked for. */
function isOwnText({ edited_at, editor, author }: ThreadComment, until: string): boolean {
  return edited_at === undefined || (edited_at <= until && editor === author);
}

function readThread(thread: ReviewThread, rules: HeardRules): Unnamed[] {
  const said = newWords(thread, rules);
  const last = said.at(-1);
  if (!last) return [];
  const [first = last] = thread.comments;
  const { text, hidden } = readText(last.body);
  const before = thread.comments
    .filter((comment) => comment.created_at <= last.created_at && comment !== last)
    .filter((comment) => comment.is_own || isHeardText(comment, rules))
    .slice(-MAX_BEFORE)
    .map((comment) => ({ author: comment.author, text: readText(comment.body).text.slice(0, MAX_EARLIER) }))
    .filter((word) => word.text !== '');
  const suggestion = visible(readSuggestion(last.body, last.diff_hunk, thread), text);
  if (text === '' && !suggestion) return [];
  const { line, start_line, original_line, original_start_line } = thread;
  return [
    {
      thread: thread.id,
      url: last.url,
      author: last.author,
      path: thread.path,
      now: line === undefined || thread.is_outdated ? undefined : { line, start_line },
      written:
        original_line === undefined || first.commit === undefined
          ? undefined
          : { line: original_line, start_line: original_start_line, commit: first.commit },
      left: thread.side === 'LEFT' ? true : undefined,
      code: first.diff_hunk.split('\n').slice(-MAX_HUNK_LINES).join('\n') || undefined,
      text,
      thread_before: before.length > 0 ? before : undefined,
      suggestion,
      hidden,
    },
  ];
}

/** S-2: a suggestion that readers do not see is none. They see a deletion as an empty block. */
function visible(suggestion: Remark['suggestion'], text: string): Remark['suggestion'] {
  const replacement = suggestion?.replacement.trim();
  if (replacement === undefined) return undefined;
  const isSeen = replacement === '' ? EMPTY_BLOCK.test(text) : text.includes(replacement);
  return isSeen ? suggestion : undefined;
}

/** The words of a review as a whole, if it requests changes. */
function ofReviews(pull: ReviewedPull, rules: HeardRules): Unnamed[] {
  return requestsIn(pull, rules).map(({ url, author, body }) => ({ url, author, ...readText(body) }));
}

function requestsIn(
  { reviews }: ReviewedPull,
  { until, since, isHeard }: HeardRules,
): ReviewedPull['reviews'] {
  const newest = new Map(
    reviews
      .filter(({ state }) => state !== 'PENDING' && state !== 'COMMENTED')
      .map((review) => [review.author, review]),
  );
  return [...newest.values()].filter((review) => {
    const { author, author_type: type, state, submitted_at = '', edited_at = '', body } = review;
    if (state !== 'CHANGES_REQUESTED' || submitted_at <= since || submitted_at > until) return false;
    if (edited_at > until || review.is_own || !isHeard({ login: author, type })) return false;
    return readText(body).text !== '';
  });
}

/** S-2: only what readers see reaches the agent. */
function readText(body: string): { text: string; hidden?: number } {
  const read = readVisibleText(body.slice(0, MAX_RAW));
  if ('problem' in read) return { text: '' };
  const hidden = read.hidden.parts + read.hidden.characters;
  return { text: read.text.trim().slice(0, MAX_TEXT), hidden: hidden > 0 ? hidden : undefined };
}
