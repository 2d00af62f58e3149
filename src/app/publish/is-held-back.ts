import { waitsOverClosedPull } from '../../core/contracts/run-state.ts';
import type { EffectContext } from '../effects/effect-context.ts';
import { noticeFate } from '../handlers/pull-request-closed.ts';
import { roundToPublish } from '../revise/last-result.ts';

/** After people closed or merged the pull request, nothing is committed to it or to a new one until somebody says to continue. */
export async function isHeldBack({ deps, github, state, target }: EffectContext): Promise<boolean> {
  if (waitsOverClosedPull(state)) return true;
  const { pull: number, unpublished } = await deps.store.publications.of(state.run);
  // V-1: the close has ended the run, also if the pull request is open again by now.
  if (state.status === 'rejected' && (roundToPublish(state) || unpublished)) return true;
  const pull = number === undefined ? undefined : await github.pullRequest(number);
  if (!pull) return false;
  await noticeFate(deps, github, state, target, pull);
  return pull.state === 'closed' && (pull.merged || state.closed_pull?.number !== pull.number);
}

/** People closed or merged the pull request between two calls of a publish. */
export class HeldBack extends Error {}

/** C-6, V-1: asked again before each call whose result people see, because uploading the work takes a while. */
export async function demandOpenPull(context: EffectContext): Promise<void> {
  const { state } = await context.deps.store.runs.load(context.state.run);
  if (await isHeldBack({ ...context, state: state ?? context.state })) throw new HeldBack();
}
