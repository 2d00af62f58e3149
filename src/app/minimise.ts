import type { GitHub } from '../core/ports/github-port.ts';
import type { AppDependencies } from './dependencies.ts';
import { isRefusedForGood } from './workers/retry-policy.ts';

/**
 * Collapses a comment of ours as outdated, once. A refusal is logged and blocks nothing, because only the looks depend on it.
 * Callers have written what they write before, so that nothing waits for a fold which is tried again.
 */
export async function minimise(deps: AppDependencies, github: GitHub, op: string): Promise<void> {
  const { comments } = deps.store;
  const known = await comments.find(op);
  if (known?.node_id === undefined || known.minimised) return;
  try {
    await github.minimizeComment(known.node_id);
    await comments.save(op, { minimised: true });
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    deps.log.warn({ op, error: String(error) }, 'an outdated comment could not be folded away');
  }
}
