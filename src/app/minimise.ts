import type { GitHub } from '../core/ports/github-port.ts';
import type { AppDependencies } from './dependencies.ts';

/** Folds a comment of ours away as outdated, once. A matter of looks: a refusal is logged and holds up nothing. */
export async function minimise(
  deps: AppDependencies,
  github: GitHub,
  run: string,
  op: string,
): Promise<void> {
  const mark = `minimised:${op}`;
  if (await deps.store.marks.get(mark)) return;
  const known = await deps.store.comments.find(run, op);
  if (!known) return;
  try {
    await github.minimizeComment(known.node_id);
    await deps.store.marks.set(mark, deps.now().toISOString());
  } catch (error) {
    deps.log.warn({ run, op, error: String(error) }, 'an outdated comment could not be folded away');
  }
}
