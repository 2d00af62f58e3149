import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Shows by a reaction that the command was seen and whether it worked. A failing reaction does not stop the command. */
export async function react(
  { log }: AppDependencies,
  github: GitHub,
  { run, comment, review }: { run: string; comment?: { id: number }; review?: { node_id: string } },
  reaction: 'eyes' | 'rocket' | 'confused',
): Promise<void> {
  try {
    if (comment) await github.react(comment.id, reaction);
    else if (review) await github.reactToReview(review.node_id, reaction);
  } catch (error) {
    log.warn({ run, comment: comment?.id, reaction, error: String(error) }, 'a reaction could not be set');
  }
}
