import type { GitHub, GitHubComment } from '../core/ports/github-port.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import type { AppDependencies } from './dependencies.ts';
import { redactFor } from './redact.ts';
import { newTicks } from './ticked-boxes.ts';

/**
 * Writes one comment per operation id, even after lost responses: it updates the comment that the store knows, or else the one of
 * ours with the operation's marker, or else creates one.
 */
export async function upsertComment(
  deps: AppDependencies,
  github: GitHub,
  target: RunTarget,
  comment: { run: string; op: string; body: string; issue?: number },
): Promise<GitHubComment | undefined> {
  const { run, op } = comment;
  const body = await redactFor(deps, run, comment.body);
  const body_hash = deps.hash(body);
  const known = await deps.store.comments.find(run, op);
  if (known?.body_hash === body_hash) return undefined;
  if (known) {
    const updated = await github.updateComment(known.comment_id, body);
    if (updated) return remember(deps, run, op, updated, body_hash);
    // Somebody deleted the comment, so it is created again below.
  }
  const issue = comment.issue ?? target.issue;
  const lost = known ? undefined : await findOwn(deps, github, issue, op);
  // A person ticked a box before the store knew the comment. It is left unchanged until its webhook or reconcile has read the
  // tick.
  if (lost && newTicks('', lost.body).length > 0) return remember(deps, run, op, lost, deps.hash(lost.body));
  const written = lost ? await github.updateComment(lost.id, body) : await github.createComment(issue, body);
  return written && remember(deps, run, op, written, body_hash);
}

async function findOwn(
  deps: AppDependencies,
  github: GitHub,
  issue: number,
  op: string,
): Promise<GitHubComment | undefined> {
  if (!(await wasTried(deps, op))) {
    // On the first attempt no comment of this operation can exist yet.
    await deps.store.marks.set(triedMark(op), deps.now().toISOString());
    return undefined;
  }
  const comments = await github.comments(issue);
  return comments.find(
    (candidate) => candidate.app_id === deps.settings.appId && hasMarker(candidate.body, op),
  );
}

const triedMark = (op: string) => `commenting:${op}`;

/** Whether the operation's comment may exist on GitHub although its response was lost. */
export async function wasTried({ store }: Pick<AppDependencies, 'store'>, op: string): Promise<boolean> {
  return Boolean(await store.marks.get(triedMark(op)));
}

function hasMarker(body: string, op: string): boolean {
  const [first = ''] = body.split('\n', 1);
  return readMarker(first)?.op === op;
}

/** Reads the marker in the first line of one of our comments. It is only a hint, because people can edit it. */
export function readMarker(body: string): { run: string; op: string } | undefined {
  const [, run, op] =
    /^<!-- autobuild:[\w-]+ run=([\w.-]+) (?:[\w-]+=[\w.-]+ )*op=([\w.-]+) -->/.exec(body) ?? [];
  return run && op ? { run, op } : undefined;
}

async function remember(
  deps: AppDependencies,
  run: string,
  op: string,
  written: GitHubComment,
  body_hash: string,
): Promise<GitHubComment> {
  await deps.store.comments.save(run, op, { comment_id: written.id, node_id: written.node_id, body_hash });
  return written;
}
