import { isRefusedForGood } from '../workers/retry-policy.ts';
import type { EffectContext } from './effect-context.ts';

type Reaction = 'eyes' | 'rocket' | 'confused';

/** The command counts with or without its reaction, so a refusal is logged, and no person is told of it. */
export async function react(
  { deps, github, state }: EffectContext,
  { source, reaction }: { source: string; reaction: Reaction },
): Promise<void> {
  const [kind = '', id = ''] = source.split(/:(.*)/s);
  try {
    if (kind === 'review') await github.reactToReview(id, reaction);
    else await github.react(Number(id), reaction);
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    deps.log.warn({ run: state.run, source, reaction, error: String(error) }, 'a reaction could not be set');
  }
}

export async function deleteComment(
  { github }: EffectContext,
  { comment }: { comment: number },
): Promise<void> {
  await github.deleteComment(comment);
}
