import { code } from '../../comments/text/harmless.ts';
import type { Revision } from '../../core/contracts/revision.ts';
import type { AskedRevision, RunState } from '../../core/contracts/run-state.ts';
import { asksAboutRounds } from '../../core/decide/revise/ask-about-rounds.ts';
import type { ReviewedPull } from '../../core/ports/github/review-port.ts';
import type { Changeset } from '../../core/work/changeset.ts';
import { dropLeftWork } from '../../core/work/left-work.ts';
import { handleInput, replyOnce } from '../handle-input.ts';
import { publishedBranch } from '../published-branch.ts';
import { answeredRounds } from '../revise/answered-rounds.ts';
import { collectRemarks } from '../revise/collect-remarks.ts';
import { findLeftWork, keepLeftWork } from '../revise/left-work.ts';
import { mergeYourself, type RefusedUpdate, readUpdate } from '../revise/read-update.ts';
import { settledWords } from '../revise/settled-words.ts';
import { whoAsked } from '../revise/who-asked.ts';
import { HOW_TO_RETRY } from '../unpublished.ts';
import type { EffectContext } from './effect-context.ts';

/** GitHub's clock may be ahead of ours. */
const SKEW_MS = 120_000;
const MOST_NAMED = 10;
/** For runs of older versions, whose target does not name it. */
const MAX_ROUNDS = 10;

/** V-2, V-3: looks up what the round is about, and begins it. */
export async function collectRevision(context: EffectContext): Promise<void> {
  const { deps, github, state, target, op } = context;
  const all = state.asked_revisions ?? [];
  if (all.length === 0) return;
  const at = deps.now().toISOString();
  const { pull: number } = await deps.store.publications.of(state.run);
  const pull = number === undefined ? undefined : await github.reviewedPull(number);
  const seen = [`revise:${op}`];
  const refuse = async ({ refused: reason, remedy: detail }: { refused: string; remedy?: string }) =>
    void (await handleInput(deps, state.run, { type: 'revision_refused', at, reason, detail }, seen));
  const isReplaced = (await deps.store.runs.ofIssue(target.repo_id, target.issue)) !== state.run;
  const reason = isReplaced ? { refused: 'a newer run of this issue has begun.' } : whyNot(pull);
  if (!pull || reason) return refuse(reason ?? NONE);
  const { asked, unheard, isHeard, frozen } = await whoAsked(context, pull, all);
  if (asked.length === 0)
    return refuse({ refused: `${[...new Set(unheard)].join(', ')} may not ask for one any more.` });
  const left = await findLeftWork(context, pull.head_sha);
  const isLeft = left !== undefined && left.changeset.files.length > 0;
  const merged = await collectUpdate(context, pull, { asked, isLeft });
  if (merged && 'refused' in merged) {
    if (asked.every(isUpdate)) return refuse(merged);
    await sayNotUpdated(context, merged);
  }
  const { update, merge } = merged && 'update' in merged ? merged : {};
  const isOnlyUpdate = asked.every(isUpdate);
  const open = isOnlyUpdate
    ? []
    : collectRemarks(pull, {
        until: new Date(Date.parse(at) + SKEW_MS).toISOString(),
        ...settledWords(deps, state, number ?? 0, await answeredRounds(deps, state, target, pull)),
        ...{ isHeard, frozen },
      });
  const ci = isOnlyUpdate ? {} : failedCi(state, pull.head_sha);
  const max = target.revisions?.max ?? MAX_ROUNDS;
  const hasWork =
    update || open.length > 0 || ci.ci || isLeft || asked.some(({ instruction }) => instruction);
  if (left) await sayDropped(context, left.dropped);
  if (hasWork && !asksAboutRounds(state, max)) {
    if (left && isLeft) await keepLeftWork(context, left);
    else await dropWork(context, { base_sha: update?.sha ?? pull.head_sha, merge });
  }
  const [first] = await deps.store.runs.events(state.run);
  const requested = first?.commit.events.find((event) => event.type === 'run_requested');
  await handleInput(
    deps,
    state.run,
    {
      type: 'revise',
      at,
      revision: {
        ...{ head: pull.head_sha, remarks: open, ...ci },
        ...(update && { update }),
        ...(isLeft && { unpublished: true as const }),
      },
      limits: requested?.limits ?? state.limits,
      max,
      ...(unheard.length > 0 && { unheard }),
    },
    seen,
  );
}

/** Work of an earlier round is on the branch already, or was cancelled. If it stayed, the job would begin with it. */
async function dropWork(
  { deps, state }: EffectContext,
  { base_sha, merge }: Pick<Changeset, 'base_sha' | 'merge'>,
): Promise<void> {
  const nothing = JSON.stringify({ base_sha, files: [], left_out: [], merge });
  await deps.store.blobs.put(state.run, 'changeset', new TextEncoder().encode(nothing));
  await dropLeftWork(deps.store.blobs, state.run);
}

/** Nobody looks for work in the round that was never published. */
async function sayDropped(
  { deps, state }: EffectContext,
  { paths, why }: { paths: string[]; why: string },
): Promise<void> {
  if (paths.length === 0) return;
  const named = paths.slice(0, MOST_NAMED).join('\n');
  const more = paths.length > MOST_NAMED ? `\nand ${paths.length - MOST_NAMED} more` : '';
  await replyOnce(deps, state.run, `left-out:${deps.hash(`${why}${paths.join('\n')}`)}`, {
    tone: 'info',
    title: `The next round starts without these files of the work that was not published: ${why}.`,
    detail: `${named}${more}`,
  });
}

function isUpdate({ source }: AskedRevision): boolean {
  return source === 'update';
}

/** V-6: the merge that was asked for. Undefined: nobody asked, or there is nothing to merge. */
async function collectUpdate(
  { deps, github, state, target }: EffectContext,
  { base_ref, head_sha }: ReviewedPull,
  { asked, isLeft }: { asked: readonly AskedRevision[]; isLeft: boolean },
): Promise<ReturnType<typeof readUpdate>> {
  if (!asked.some(isUpdate)) return undefined;
  if (isLeft) return LEFT_FIRST;
  const { default_branch: branch } = target;
  const ours = await publishedBranch(deps, state.run, target).name();
  if (base_ref !== branch)
    return {
      refused: `the pull request goes to ${code(base_ref, 120)} now, and the run began on ${code(branch, 120)}.`,
      remedy: mergeYourself(base_ref),
    };
  if ((await github.branchHead(ours)) !== head_sha)
    return {
      refused: `the head of the pull request is not the branch ${code(ours, 120)} of this repository.`,
      remedy: `${mergeYourself(branch)} Or give the branch its name back, if it was renamed. Autobuild cannot push to a fork.`,
    };
  if (await github.forbidsMerges(ours))
    return {
      refused: `a rule of this repository demands a linear history of ${code(ours, 120)}, so it takes no merge commit.`,
      remedy: 'Rebase it yourself, or exempt `autobuild/**` from the rule.',
    };
  const base = await github.branchHead(branch);
  if (base === undefined)
    return { refused: `there is no branch ${code(branch, 120)}.`, remedy: 'Restore it, then ask again.' };
  return readUpdate(deps, github, { branch, base, head: head_sha });
}

/** Others asked for the same round, which begins without it. */
async function sayNotUpdated({ deps, state, op }: EffectContext, why: RefusedUpdate): Promise<void> {
  const { refused, remedy: detail } = why;
  const title = `No update: ${refused}`;
  await replyOnce(deps, state.run, `not-updated:${op}`, { tone: 'refused', title, detail });
}

/** V-7: what fails on this head, unless somebody said to ignore it. */
function failedCi({ ci = [] }: RunState, head: string): Pick<Revision, 'ci'> {
  const newest = ci.at(-1);
  if (newest?.head !== head || newest.answer?.answer === 'ignore' || newest.failed.length === 0) return {};
  return { ci: newest.failed.map(({ name, step, log, url }) => ({ name, step, log, url })) };
}

/** A merge begins with the files of both sides and no others, so the work would be gone. */
const LEFT_FIRST = {
  refused: 'there is work that was not published yet.',
  remedy: 'Say `/continue` first: the next round begins with that work. Then ask again.',
};
const NONE = { refused: 'there is no open pull request.', remedy: HOW_TO_RETRY.label };
/** A new commit would throw it out of the queue. */
const QUEUED = {
  refused: 'the pull request waits in the merge queue.',
  remedy: 'Take it out of the queue first, then ask again.',
};

function whyNot(pull: ReviewedPull | undefined): { refused: string; remedy?: string } | undefined {
  if (pull?.state !== 'OPEN') return NONE;
  return pull.is_queued ? QUEUED : undefined;
}
