import { skipsCi } from '../../comments/text/skip-ci.ts';
import type { Effect } from '../../core/contracts/effect.ts';
import { write } from '../handle-input.ts';
import { lateWorkOf } from '../revise/late-work-of.ts';
import type { EffectContext } from './effect-context.ts';

/** Finishes a pull request that was merged or closed. */
export async function settlePull(
  context: EffectContext,
  { pull, refused }: Extract<Effect, { type: 'settle_pull' }>,
): Promise<void> {
  if (refused) await keepUnpublished(context, pull);
  await warnOfSkippedCi(context, pull);
}

/**
 * V-1: the run rested with work that GitHub had refused. The next round would have begun with it, and there is none now, so that it
 * is put aside like work which came too late. The receipt must not offer another round.
 */
async function keepUnpublished({ deps, state }: EffectContext, number: number): Promise<void> {
  const { run, status } = state;
  const { unpublished } = await deps.store.publications.of(run);
  const late = status === 'approved' || status === 'rejected' ? lateWorkOf(state) : undefined;
  if (!late || !unpublished) return;
  await write(
    deps,
    run,
    [{ type: 'publish', ready: true }, { type: 'show_receipt' }],
    [`left-work:${run}:${number}:${late.round?.number ?? late.ending}`],
  );
}

/** A squash takes over the messages of all commits, and a rebase their last one. */
async function warnOfSkippedCi({ deps, github, state, target }: EffectContext, pull: number): Promise<void> {
  const { run } = state;
  const { merged, merge_sha: sha, base = target.default_branch } = (await github.pullRequest(pull)) ?? {};
  const message = merged && sha ? await github.commitMessage(sha) : undefined;
  if (!sha || !message || !skipsCi(message)) return;
  const reply = {
    tone: 'waiting' as const,
    title: `CI did not run on \`${base}\` for this merge: the message of ${sha.slice(0, 7)} tells GitHub to skip it.`,
    detail: `Push a commit to \`${base}\`, or start its workflows manually in the Actions tab. Next time remove the line in brackets from the message when you merge. The box "Run CI on this branch" removes it from Autobuild’s commits, except from those below a commit of somebody else.`,
  };
  await write(deps, run, [{ type: 'reply', reply, on: pull }], [`skipped-ci:${run}:${sha}`]);
}
