import { helpRows } from '../commands/help-text.ts';
import { renderReply } from '../comments/github/render-reply.ts';
import type { Reply } from '../core/contracts/effect.ts';
import type { GitHub } from '../core/ports/github-port.ts';
import { commentContext } from './comment-context.ts';
import type { AppDependencies } from './dependencies.ts';
import { upsertComment } from './upsert-comment.ts';

/** Posts one short reply per command, under its own operation id. */
export async function postReply(
  deps: AppDependencies,
  github: GitHub,
  to: { run: string; seen: string; issue?: number },
  reply: Reply,
): Promise<void> {
  const { state } = await deps.store.runs.load(to.run);
  const target = await deps.store.runs.target(to.run);
  if (!state || !target) return;
  const op = `${to.run}.reply.${deps.hash(to.seen).slice(0, 12)}`;
  const where = await commentContext(deps, state, target, op);
  await upsertComment(deps, github, target, {
    run: to.run,
    op,
    body: renderReply(to.run, reply, where, helpRows),
    issue: to.issue,
  });
}
