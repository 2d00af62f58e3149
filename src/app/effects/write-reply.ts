import { helpRows } from '../../commands/help-text.ts';
import { renderReply } from '../../comments/github/render-reply.ts';
import type { Reply } from '../../core/contracts/effect.ts';
import { secretsNamedIn, withoutSecrets } from '../../core/secrets/secrets-named-in.ts';
import { commentContext } from '../comment-context.ts';
import { logOf } from '../handlers/workflow-run-completed.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';

/** One short comment per reply, on the issue or on the pull request where the command was given. */
export async function writeReply(
  { deps, github, state, target, op }: EffectContext,
  { reply, on, log }: { reply: Reply; on?: number; log?: number },
): Promise<void> {
  const where = await commentContext(deps, state, target, op);
  const link = log === undefined ? reply.link : { text: 'The log of the job', url: logOf(deps, target, log) };
  const secrets = secretsNamedIn(reply.suggestion, state);
  const suggestion = reply.suggestion && withoutSecrets(reply.suggestion, secrets);
  const body = renderReply(state.run, { ...reply, link, suggestion }, where, helpRows, secrets);
  await upsertComment(deps, github, { run: state.run, op, body, issue: on ?? target.issue });
}
