import type { PullReview, ThreadComment } from '../../core/ports/github/review-port.ts';

type Word = Partial<Pick<ThreadComment, 'created_at' | 'submitted_at' | 'edited_at'>> &
  Pick<ThreadComment | PullReview, 'author' | 'author_type'>;

/** The time at which words of people who may not ask for a round are frozen, because somebody asked for it then. */
export interface Freeze {
  at: string;
  /** Those who may ask for a round. Their words count until it begins. */
  except: ReadonlySet<string>;
}

/** When the words were last changed, or became visible to others, by GitHub's clock. A remark is drafted before it is seen. */
export function touchedAt({
  created_at,
  submitted_at,
  edited_at,
}: Omit<Word, 'author' | 'author_type'>): number {
  return Math.max(...[created_at, submitted_at, edited_at].flatMap((at) => (at ? [Date.parse(at)] : [])), 0);
}

/** V-3: a person with the role has seen what was there when they asked, so nobody else can add to it. */
export function isInTime(word: Word, { until, frozen }: { until: string; frozen?: Freeze }): boolean {
  const isExcepted = !frozen || (word.author_type === 'User' && frozen.except.has(word.author));
  return touchedAt(word) <= Date.parse(isExcepted ? until : frozen.at);
}
