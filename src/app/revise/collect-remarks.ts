import { readVisibleText } from '../../commands/reading/visible-text.ts';
import type { Remark, WordsRead } from '../../core/contracts/revision.ts';
import type {
  PullReview,
  ReviewedPull,
  ReviewThread,
  ThreadComment,
} from '../../core/ports/github/review-port.ts';
import { type Freeze, isInTime } from './frozen-words.ts';
import { readSuggestion } from './read-suggestion.ts';
import type { SettledWords } from './settled-words.ts';

const MOST = 200;
/** The length of a text as it was written, and of what is kept of it: no more than a prompt shows. */
const MAX_RAW = 20_000;
const MAX_TEXT = 4_000;
const MAX_EARLIER = 1_000;
const MAX_HUNK_LINES = 20;
const MAX_HUNK = 1_500;
const MAX_BEFORE = 20;
/** A longer one stays in the text, for the agent. */
const MAX_SUGGESTION = 20_000;
/** The length of all remarks of a round, so that a prompt has room for all of them. The others stay open for the next. */
const MAX_ALL = 150_000;

export interface HeardRules extends SettledWords {
  /** Texts that were written or edited later are for the next round. */
  until: string;
  /** Absent: everybody's words count until then. */
  frozen?: Freeze;
  /** Whether the author's remarks count. */
  isHeard(author: { login: string; type: string }): boolean;
}

/**
 * V-3: the open remarks, as a reader sees them. A remark is open while its thread is not resolved and has words that our last
 * answer is not about, because "not resolved" alone would be answered again in each round.
 */
export function collectRemarks(pull: ReviewedPull, rules: HeardRules): Remark[] {
  let left = MAX_ALL;
  return openRemarks(pull, rules)
    .slice(0, MOST)
    .filter((remark) => {
      left -= JSON.stringify(remark).length;
      return left > 0;
    })
    .map((remark, index) => ({ ...remark, id: `R${index + 1}` }));
}

/** All that are open, with the author of the newest word in each. A round takes as many as it has room for. */
export function countOpen(pull: ReviewedPull, rules: HeardRules): { author: string; is_bot: boolean }[] {
  const { threads, reviews } = pull;
  const words = [...threads.flatMap(({ comments }) => comments), ...reviews];
  const bots = new Set(words.filter(({ author_type }) => author_type !== 'User').map(({ author }) => author));
  return openRemarks(pull, rules).map(({ author }) => ({ author, is_bot: bots.has(author) }));
}

type Unnamed = Omit<Remark, 'id'>;

function openRemarks(pull: ReviewedPull, rules: HeardRules): Unnamed[] {
  const threads = pull.threads.filter(({ is_resolved }) => !is_resolved);
  return [...threads.flatMap((thread) => readThread(thread, rules)), ...ofReviews(pull, rules)];
}

/** Words that no answer of ours is about: those below the last one, and those that came while its round was at work. */
function newWords({ id, comments }: ReviewThread, rules: HeardRules): ThreadComment[] {
  const answers = comments.flatMap((comment, index) => {
    const answer = rules.answerIn(comment);
    return answer ? [{ comment, index, read: answer.read }] : [];
  });
  const last = answers.at(-1)?.index ?? -1;
  // Answers that GitHub took late can be below those of later rounds.
  const newest = answers.reduce<(typeof answers)[number] | undefined>(
    (most, answer) => ((most?.read?.id ?? -1) > (answer.read?.id ?? 0) ? most : answer),
    undefined,
  );
  const summary = rules.inSummary?.(id);
  return comments.filter(
    (comment, index) =>
      (index > last || isUnread(comment, newest?.comment, newest?.read)) &&
      (!summary || isUnread(comment, summary, summary.read)) &&
      !comment.is_own &&
      isHeardText(comment, rules),
  );
}

/** An edit below the answer is none: whoever has read it replies. */
function isUnread(
  { id, edited_at = '' }: ThreadComment,
  answer: Pick<ThreadComment, 'created_at'> | undefined,
  read: WordsRead | undefined,
): boolean {
  if (!answer || !read) return false;
  return id > read.id || (edited_at > read.at && edited_at <= answer.created_at);
}

function isHeardText(word: ThreadComment | PullReview, rules: HeardRules): boolean {
  const { author: login, author_type: type } = word;
  return rules.isHeard({ login, type }) && isInTime(word, rules) && isOwnText(word);
}

/** People with write access can edit the texts of others. */
function isOwnText({ edited_at, editor, author }: ThreadComment | PullReview): boolean {
  return edited_at === undefined || editor === author;
}

function readThread(thread: ReviewThread, rules: HeardRules): Unnamed[] {
  const suggestionIn = (comment: ThreadComment, whole: string) =>
    visible(readSuggestion(comment.body, comment.diff_hunk, thread), whole);
  // A reply in which nothing can be seen says nothing, and takes nothing back.
  const last = newWords(thread, rules).findLast((comment) => {
    const { text, whole } = readText(comment.body);
    return text !== '' || suggestionIn(comment, whole);
  });
  if (!last) return [];
  const [first = last] = thread.comments;
  const { text, whole, hidden } = readText(last.body);
  const before = thread.comments
    .filter((comment) => comment.created_at <= last.created_at && comment !== last)
    .filter((comment) => (comment.is_own ? !comment.is_pending : isHeardText(comment, rules)))
    .slice(-MAX_BEFORE)
    .map((comment) => ({ author: comment.author, text: readText(comment.body).text.slice(0, MAX_EARLIER) }))
    .filter((word) => word.text !== '');
  const suggestion = suggestionIn(last, whole);
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
      code: endOfHunk(first.diff_hunk) || undefined,
      text,
      thread_before: before.length > 0 ? before : undefined,
      suggestion,
      hidden,
      read: readUpTo(thread, rules),
    },
  ];
}

/** The lines next to the remark. One line of a generated file can be as long as a book. */
function endOfHunk(hunk: string): string {
  return hunk.split('\n').slice(-MAX_HUNK_LINES).join('\n').slice(-MAX_HUNK);
}

/** By GitHub's own ids and clock, because ours may differ. Words that came too late are for the next round. */
function readUpTo({ comments }: ReviewThread, rules: HeardRules): WordsRead {
  const said = comments.filter((comment) => !comment.is_own && isInTime(comment, rules));
  return {
    id: said.reduce((newest, { id }) => Math.max(newest, id), 0),
    at: said.reduce((newest, { created_at, edited_at = '' }) => maxOf(newest, created_at, edited_at), ''),
  };
}

function maxOf(...times: string[]): string {
  return times.toSorted().at(-1) ?? '';
}

const EMPTY_BLOCK = /^(`{3,})\s*\1$/m;

/** S-2: a suggestion that readers do not see is none. They see a deletion as an empty block. */
function visible(suggestion: Remark['suggestion'], text: string): Remark['suggestion'] {
  const replacement = suggestion?.replacement.trim();
  if (!suggestion || replacement === undefined) return undefined;
  if (suggestion.original.length + replacement.length > MAX_SUGGESTION) return undefined;
  const isSeen = replacement === '' ? EMPTY_BLOCK.test(text) : text.includes(replacement);
  return isSeen ? suggestion : undefined;
}

/** The words of a review as a whole, if it requests changes. */
function ofReviews(pull: ReviewedPull, rules: HeardRules): Unnamed[] {
  return requestsIn(pull, rules).flatMap(({ id, url, author, body, submitted_at = '', edited_at = '' }) => {
    const { text, hidden } = readText(body);
    return text === ''
      ? []
      : [{ url, author, text, hidden, read: { id, at: maxOf(submitted_at, edited_at) } }];
  });
}

function requestsIn({ reviews }: ReviewedPull, rules: HeardRules): ReviewedPull['reviews'] {
  const newest = new Map(
    reviews
      .filter(({ state }) => state !== 'PENDING' && state !== 'COMMENTED')
      .map((review) => [review.author, review]),
  );
  return [...newest.values()].filter((review) => {
    if (review.state !== 'CHANGES_REQUESTED' || review.is_own || rules.isSettled(review)) return false;
    return isHeardText(review, rules);
  });
}

/** S-2: only what readers see reaches the agent. `whole` is not cut. */
function readText(body: string): { text: string; whole: string; hidden?: number } {
  const read = readVisibleText(body.slice(0, MAX_RAW));
  if ('problem' in read) return { text: '', whole: '' };
  const hidden = read.hidden.parts + read.hidden.characters;
  const whole = read.text.trim();
  return { text: cut(whole, body.length), whole, hidden: hidden > 0 ? hidden : undefined };
}

/** The agent must not take a part for the whole. */
function cut(text: string, written: number): string {
  if (text.length <= MAX_TEXT && written <= MAX_RAW) return text;
  const note = `… [cut: the remark has ${written.toLocaleString('en')} characters]`;
  return text.slice(0, MAX_TEXT - note.length) + note;
}
