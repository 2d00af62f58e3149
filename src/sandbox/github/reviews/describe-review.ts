import type { Json } from '../gap.ts';
import type { BookedComment, BookedReview, Thread } from './review-book.ts';

export interface Urls {
  /** `http://host/owner/name` */
  html: string;
  /** `http://host/api/v3/repos/owner/name` */
  api: string;
}

/** A review as REST shows it. */
export function describeReview(review: BookedReview, user: Json | undefined, { html, api }: Urls): Json {
  const { id, node_id, pull, body, state, commit_id, submitted_at } = review;
  const [html_url, pull_request_url] = [reviewUrl(review, html), `${api}/pulls/${pull}`];
  return {
    ...{ id, node_id, user, body, state, html_url, pull_request_url, commit_id },
    ...(submitted_at !== null && { submitted_at }),
    author_association: 'COLLABORATOR',
    _links: { html: { href: html_url }, pull_request: { href: pull_request_url } },
  };
}

export function reviewUrl({ id, pull }: BookedReview, html: string): string {
  return `${html}/pull/${pull}#pullrequestreview-${id}`;
}

export function commentUrl({ id }: BookedComment, { pull }: Thread, html: string): string {
  return `${html}/pull/${pull}#discussion_r${id}`;
}

/** A remark as REST shows it. */
export function describeRemark(
  comment: BookedComment,
  thread: Thread,
  user: Json | undefined,
  { html, api }: Urls,
): Json {
  const { id, node_id, body, review, created_at, edit } = comment;
  const [first] = thread.comments;
  const url = `${api}/pulls/comments/${id}`;
  const html_url = commentUrl(comment, thread, html);
  const pull_request_url = `${api}/pulls/${thread.pull}`;
  const counts = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'];
  return {
    ...{ url, html_url, pull_request_url, id, node_id, user, body, created_at },
    ...{ pull_request_review_id: review, diff_hunk: thread.hunk, path: thread.path },
    ...{ commit_id: thread.commit, original_commit_id: thread.commit },
    ...{ line: thread.line, original_line: thread.line, side: thread.side },
    ...{ start_line: thread.start_line, original_start_line: thread.start_line },
    start_side: thread.start_line === null ? null : thread.side,
    ...{ position: 1, original_position: 1, subject_type: thread.subject.toLowerCase() },
    ...(first !== comment && { in_reply_to_id: first?.id }),
    updated_at: edit?.at ?? created_at,
    author_association: 'COLLABORATOR',
    reactions: {
      ...{ url: `${url}/reactions`, total_count: 0 },
      ...Object.fromEntries(counts.map((name) => [name, 0])),
    },
    _links: {
      ...{ self: { href: url }, html: { href: html_url }, pull_request: { href: pull_request_url } },
    },
  };
}
