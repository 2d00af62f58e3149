import type { GitHub, GitHubComment } from '../core/ports/github-port.ts';
import type { SentComment } from '../core/ports/sent-comments.ts';
import type { AppDependencies } from './dependencies.ts';
import { redactFor } from './redact.ts';
import { newTicks } from './ticked-boxes.ts';

/** GitHub's clock may be behind the database's. */
const SKEW_MS = 120_000;

/** A comment of one operation: created once, then edited. */
interface Comment {
  run?: string;
  op: string;
  body: string;
  issue: number;
  /** The kind of comments of which the newest is looked for later. */
  kind?: string;
  /** The question whose boxes it shows. */
  escalation?: string;
  /** False: a comment that somebody deleted stays deleted. */
  restores?: boolean;
}

/**
 * Writes one comment per operation id. A known comment is edited. Before a comment is created a second time, because a response
 * was lost or the comment was deleted, it is looked for by its marker among those since the first try.
 */
export async function upsertComment(
  deps: AppDependencies,
  github: GitHub,
  comment: Comment,
): Promise<GitHubComment | undefined> {
  const { op, run, issue, kind, escalation } = comment;
  const { comments } = deps.store;
  const { body, body_hash } = await finish(deps, comment);
  const known = await comments.find(op);
  if (known?.comment_id !== undefined && known.body_hash === body_hash) return undefined;
  const record = async (written: GitHubComment, hash = body_hash) => {
    const { id: comment_id, node_id } = written;
    await comments.save(op, { kind, escalation, comment_id, node_id, body_hash: hash });
    return written;
  };
  if (known?.comment_id !== undefined) {
    // Until GitHub answers, either text may be there. With the old record, that text would count as written already.
    if (known.body_hash) await comments.save(op, { body_hash: '' });
    const updated = await github.updateComment(known.comment_id, body);
    if (updated) return record(updated);
    if (comment.restores === false) return undefined;
  }
  await comments.save(op, { run, kind, escalation });
  const lost = known && (await findByMarker(deps, github, issue, known));
  // Ticks made before the comment was known are kept; the webhook or reconcile handles them.
  if (lost && newTicks('', lost.body).length > 0) return record(lost, deps.hash(lost.body));
  const updated = lost && (await github.updateComment(lost.id, body));
  return record(updated ?? (await github.createComment(issue, body)));
}

/** The text as GitHub gets it. */
async function finish(
  deps: AppDependencies,
  { run, body, issue }: Pick<Comment, 'run' | 'body' | 'issue'>,
): Promise<{ body: string; body_hash: string }> {
  const text = run === undefined ? body : await redactFor(deps, run, body);
  const signed = deps.ownership.sign(text, issue);
  return { body: signed, body_hash: deps.hash(signed) };
}

/** True if the comment was written with this text, and nobody is known to have changed it. */
export async function isWritten(deps: AppDependencies, comment: Comment): Promise<boolean> {
  const known = await deps.store.comments.find(comment.op);
  return known?.comment_id !== undefined && known.body_hash === (await finish(deps, comment)).body_hash;
}

/** The comment of an operation whose response was lost. */
export async function findByMarker(
  deps: AppDependencies,
  github: GitHub,
  issue: number,
  { op, tried_at }: Pick<SentComment, 'op' | 'tried_at'>,
): Promise<GitHubComment | undefined> {
  const since = new Date(Math.max(0, Date.parse(tried_at) - SKEW_MS)).toISOString();
  const found = await github.comments(issue, since);
  return found.findLast(
    (candidate) => readMarker(candidate.body)?.op === op && deps.ownership.isOurs(candidate, issue),
  );
}

/** The marker in the first line of a comment of ours. It helps to find things and is never trusted. */
export function readMarker(body: string): { run: string; op: string } | undefined {
  const [first = ''] = body.split('\n', 1);
  const [, run = '', op] =
    /^<!-- autobuild:[\w-]+ (?:run=([\w.-]+) )?(?:[\w-]+=[\w.-]+ )*op=([\w.-]+)(?: mac=[\w-]+)? -->/.exec(
      first,
    ) ?? [];
  return op ? { run, op } : undefined;
}
