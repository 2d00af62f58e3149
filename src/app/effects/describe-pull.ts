import { publishedBranch } from '../published-branch.ts';
import { writeDescription } from './describe-pull-request.ts';
import type { EffectContext } from './effect-context.ts';

/** Writes the description again, from the record and the branch as it is. */
export async function describePull(
  context: EffectContext,
  { ticked: handled }: { ticked?: string[] },
): Promise<void> {
  const { deps, github, state, target } = context;
  const { pull: number } = await deps.store.publications.of(state.run);
  const pull = number === undefined ? undefined : await github.pullRequest(number);
  const tip = await github.branchHead(await publishedBranch(deps, state.run, target).name());
  // The branch may have been deleted after the merge.
  const head = tip ?? pull?.head_sha;
  if (pull && head !== undefined) await writeDescription(context, pull, head, { handled });
}
