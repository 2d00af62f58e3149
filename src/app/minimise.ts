import type { GitHub } from '../core/ports/github-port.ts';
import type { AppParts } from './dependencies.ts';

/** Folds a comment of ours away as outdated, once. A matter of looks: a refusal is logged and holds up nothing. */
export async function minimise(parts: AppParts, github: GitHub, run: string, op: string): Promise<void> {
  const mark = `minimised:${op}`;
  if (await parts.store.marks.get(mark)) return;
  const known = await parts.store.comments.find(run, op);
  if (!known) return;
  try {
    await github.minimizeComment(known.node_id);
    await parts.store.marks.set(mark, parts.now().toISOString());
  } catch (error) {
    parts.log.warn({ run, op, error: String(error) }, 'an outdated comment could not be folded away');
  }
}
