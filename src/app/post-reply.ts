import { helpRows } from '../commands/help-text.ts';
import { renderReply } from '../comments/github/render-reply.ts';
import type { Reply } from '../core/contracts/effect.ts';
import type { GitHub } from '../core/ports/github-port.ts';
import { commentContext } from './comment-context.ts';
import type { AppParts } from './dependencies.ts';
import { upsertComment } from './upsert-comment.ts';

/** One short reply per command, under an operation id of its own. */
export async function postReply(
  parts: AppParts,
  github: GitHub,
  to: { run: string; seen: string; issue?: number },
  reply: Reply,
): Promise<void> {
  const { state } = await parts.store.runs.load(to.run);
  const place = await parts.store.runs.place(to.run);
  if (!state || !place) return;
  const op = `${to.run}.reply.${parts.hash(to.seen).slice(0, 12)}`;
  const where = await commentContext(parts, state, place, op);
  await upsertComment(parts, github, place, {
    run: to.run,
    op,
    body: renderReply(to.run, reply, where, helpRows),
    issue: to.issue,
  });
}
