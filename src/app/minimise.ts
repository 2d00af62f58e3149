import type { GitHub } from '../core/ports/github-port.ts';
import type { AppDependencies } from './dependencies.ts';

/** Minimises one of our comments as outdated, once. This is cosmetic, so a refusal is only logged. */
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
