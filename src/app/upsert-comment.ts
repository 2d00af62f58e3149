import type { GitHub, GitHubComment } from '../core/ports/github-port.ts';
import type { Place } from '../core/ports/hosted-ports.ts';
import type { AppParts } from './dependencies.ts';
import { redactFor } from './redact.ts';
import { newTicks } from './ticked-boxes.ts';

/**
 * One comment per operation id, whatever is lost on the way: known by the store, else looked for by its marker among our own
 * comments (the response may have been lost after the effect), else created.
 */
export async function upsertComment(
  parts: AppParts,
  github: GitHub,
  place: Place,
  comment: { run: string; op: string; body: string; issue?: number },
): Promise<GitHubComment | undefined> {
  const { run, op } = comment;
  const body = await redactFor(parts, run, comment.body);
  const body_hash = parts.hash(body);
  const known = await parts.store.comments.find(run, op);
  if (known?.body_hash === body_hash) return undefined;
  if (known) {
    const updated = await github.updateComment(known.comment_id, body);
    if (updated) return remember(parts, run, op, updated, body_hash);
    // Deleted by somebody: it is written anew below.
  }
  const issue = comment.issue ?? place.issue;
  const lost = known ? undefined : await findOwn(parts, github, issue, op);
  // Ticked before we knew it was there: it is read as it stands, by its webhook or by reconcile.
  if (lost && newTicks('', lost.body).length > 0)
    return remember(parts, run, op, lost, parts.hash(lost.body));
  const written = lost ? await github.updateComment(lost.id, body) : await github.createComment(issue, body);
  return written && remember(parts, run, op, written, body_hash);
}

async function findOwn(
  parts: AppParts,
  github: GitHub,
  issue: number,
  op: string,
): Promise<GitHubComment | undefined> {
  if (!(await wasTried(parts, op))) {
    // The first try: nothing of this operation can be there yet.
    await parts.store.marks.set(triedMark(op), parts.now().toISOString());
    return undefined;
  }
  const comments = await github.comments(issue);
  return comments.find(
    (candidate) => candidate.app_id === parts.settings.appId && hasMarker(candidate.body, op),
  );
}

const triedMark = (op: string) => `commenting:${op}`;

/** Whether the comment of this operation may be on GitHub, although its response was lost. */
export async function wasTried({ store }: Pick<AppParts, 'store'>, op: string): Promise<boolean> {
  return Boolean(await store.marks.get(triedMark(op)));
}

function hasMarker(body: string, op: string): boolean {
  const [first = ''] = body.split('\n', 1);
  return readMarker(first)?.op === op;
}

/** What the first line of a comment of ours says of itself. It helps to find things; it is never trusted. */
export function readMarker(body: string): { run: string; op: string } | undefined {
  const [, run, op] =
    /^<!-- autobuild:[\w-]+ run=([\w.-]+) (?:[\w-]+=[\w.-]+ )*op=([\w.-]+) -->/.exec(body) ?? [];
  return run && op ? { run, op } : undefined;
}

async function remember(
  parts: AppParts,
  run: string,
  op: string,
  written: GitHubComment,
  body_hash: string,
): Promise<GitHubComment> {
  await parts.store.comments.save(run, op, { comment_id: written.id, node_id: written.node_id, body_hash });
  return written;
}
