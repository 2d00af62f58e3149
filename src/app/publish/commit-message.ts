import { plainTitle } from '../../comments/text/plain-title.ts';
import { SKIP_CI } from '../../comments/text/skip-ci.ts';
import type { EffectContext } from '../effects/effect-context.ts';
import { redactFor } from '../redact.ts';
import { roundToPublish } from '../revise/last-result.ts';

/** The title is text that the author wrote, so it is cleaned and redacted. */
export async function titleOf({ deps, state }: EffectContext): Promise<string> {
  return plainTitle(await redactFor(deps, state.run, state.task.title));
}

export async function commitMessage(context: EffectContext): Promise<string> {
  const { state, target } = context;
  const title = await titleOf(context);
  // An agent's code that nobody has reviewed must not run in the repository's CI, which has secrets.
  const skip = target.ci === 'always' ? '' : `\n\n${SKIP_CI}`;
  const round = roundToPublish(state);
  const asked = round ? ` Round ${round.number}, asked for by ${round.by}.` : '';
  const merged = round?.update;
  const first = merged ? `Merge ${merged.branch} (${merged.sha.slice(0, 7)}): ${title}` : title;
  return `${first}\n\nFor #${target.issue}, run ${state.run}.${asked}${skip}`;
}
