import { isStillWanted } from '../../core/decide/is-still-wanted.ts';
import type { EffectContext } from '../effects/effect-context.ts';

/** The run was cancelled between two calls of a publish. */
export class NoLongerWanted extends Error {}

/** The issue was labelled again, and a newer run builds it. */
export class Replaced extends NoLongerWanted {}

/**
 * checked before each call whose result people see, because uploading the work takes a while. An attempt that waited for
 * hours would put older work over a newer run's, or show work after that run was cancelled.
 */
export async function demandStillWanted({ deps: { store }, state, target }: EffectContext): Promise<void> {
  const now = (await store.runs.load(state.run)).state;
  if (now && !isStillWanted({ type: 'publish' }, now)) throw new NoLongerWanted();
  if ((await store.runs.ofIssue(target.repo_id, target.issue)) !== state.run) throw new Replaced();
}
