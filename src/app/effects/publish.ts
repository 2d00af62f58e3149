import type { Unpublished } from '../../core/contracts/comment-context.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import type { Changeset } from '../../core/work/changeset.ts';
import { dropLeftWork } from '../../core/work/left-work.ts';
import { roundHead, roundParents } from '../../core/work/round-head.ts';
import { chooseBranch } from '../choose-branch.ts';
import { replyOnce, write } from '../handle-input.ts';
import { commitMessage } from '../publish/commit-message.ts';
import { explainCommit } from '../publish/explain-commit.ts';
import { demandOpenPull, HeldBack, isHeldBack } from '../publish/is-held-back.ts';
import { keepLateWork } from '../publish/late-work.ts';
import { demandStillWanted, NoLongerWanted, Replaced } from '../publish/still-wanted.ts';
import { type Committed, writePullRequest } from '../publish/write-pull-request.ts';
import { publishedBranch } from '../published-branch.ts';
import { IN_QUEUE, isInQueue, QUEUE_MS } from '../revise/changed-pull.ts';
import { followHead, moveWork } from '../revise/follow-head.ts';
import { roundToPublish } from '../revise/last-result.ts';
import { isStopped } from '../revise/late-work-of.ts';
import { lookAtBaseLater } from '../revise/look-at-base.ts';
import { HOW_TO_REDO, NOT_YET, REPLACED, wayOut } from '../unpublished.ts';
import type { EffectContext, Performed } from './effect-context.ts';
import { contentOf, findWork, type Work } from './work-to-publish.ts';

/**
 * Commits the newest changeset to the branch and opens or updates the pull request. Files that may not be committed are always
 * named there.
 */
export async function publishWork(context: EffectContext, ready: boolean): Promise<Performed> {
  try {
    return await publishUnlessStopped(context, ready);
  } catch (error) {
    if (!(error instanceof NoLongerWanted)) throw error;
    if (ready && error instanceof Replaced) await sayReplaced(context);
    return {};
  }
}

/** Work that was published before stays called published. */
async function sayReplaced(context: EffectContext): Promise<void> {
  const { unpublished } = await context.deps.store.publications.of(context.state.run);
  if (unpublished !== null) await settle(context, REPLACED);
}

async function publishUnlessStopped(context: EffectContext, ready: boolean): Promise<Performed> {
  await demandStillWanted(context);
  const { deps, github, state } = context;
  if (isStopped(state) || (await isHeldBack(context))) {
    if (ready) await keepLateWork(context);
    return {};
  }
  const { publications } = deps.store;
  const before = (await publications.of(state.run)).unpublished;
  if (ready && (await isInQueue(context))) {
    if (before?.why !== IN_QUEUE.why) await settle(context, IN_QUEUE);
    return { againAfterMs: QUEUE_MS };
  }
  if (ready && !before) await publications.change(state.run, { unpublished: NOT_YET });
  const why = await bringToPullRequest(context, ready).catch(heldBack);
  if (why === 'later' || why === 'held back') {
    if (ready && why === 'held back') await keepLateWork(context);
    // Until the round is over again, the pull request shows what it showed before.
    await publications.change(state.run, { unpublished: before });
  } else if (ready) {
    await settle(context, why);
    if (!why) await dropLeftWork(deps.store.blobs, state.run);
    if (!why) lookAtBaseLater(deps, github, state.run);
    // A check is only words about the work, so one that GitHub refuses is the status's to try again.
  } else if (!why) await write(deps, state.run, [{ type: 'update_status' }]);
  return {};
}

function heldBack(error: unknown): 'held back' {
  if (error instanceof HeldBack) return 'held back';
  throw error;
}

/** The status waited for this, and a receipt written before says that the work is not published. */
async function settle({ deps, state }: EffectContext, why: Unpublished | undefined): Promise<void> {
  const { publications, comments } = deps.store;
  const { head, rounds } = await publications.of(state.run);
  const round = why ? undefined : roundToPublish(state);
  await publications.change(state.run, {
    unpublished: why ?? null,
    ...(round && head && { rounds: { ...rounds, [round.number]: head } }),
  });
  const hasReceipt = await comments.find(`${state.run}.receipt`);
  await write(deps, state.run, [
    { type: 'update_status' },
    ...(hasReceipt ? [{ type: 'show_receipt' as const }] : []),
  ]);
}

/** Returns why the work is not on the pull request; undefined if it is, `later` if the round continues first. */
async function bringToPullRequest(
  context: EffectContext,
  ready: boolean,
): Promise<Unpublished | 'later' | undefined> {
  const { deps, state, target } = context;
  const round = roundToPublish(state);
  // A crash while the round was moved to another head may have left it there.
  if (round) await moveWork(context, roundHead(state, target));
  const work = await findWork(context);
  if (!work) return nothingThere(context);
  if ('refused' in work) {
    const { why, title, detail } = work.refused;
    const key = `publish:${deps.hash(`${title}${detail}${round?.number ?? ''}`)}`;
    await replyOnce(deps, state.run, key, { tone: 'refused', title, detail });
    return { why, detail };
  }
  if (round && (await followHead(context, work.files))) return 'later';
  await publishedBranch(deps, state.run, target).setLeftOut(work.leftOut);
  if (work.files.length === 0 && !round) return reportNothingLeft(context, work.leftOut);
  // A round may change nothing, because every remark was declined. A merge has its second parent also then.
  const committed = work.files.length > 0 || round?.update ? await commitWork(context, work) : undefined;
  await writePullRequest(context, ready, committed);
  return undefined;
}

async function nothingChanged(context: EffectContext): Promise<Unpublished> {
  return { why: 'no file was changed', detail: await howToRedo(context) };
}

/** The desk has no work. The job may have said all the same that it changed files. */
async function nothingThere(context: EffectContext): Promise<Unpublished> {
  if (context.state.changes.paths.length === 0) return nothingChanged(context);
  return { why: 'the work is missing or cannot be read', detail: await howToRedo(context) };
}

async function howToRedo({ deps, state }: EffectContext): Promise<string> {
  return HOW_TO_REDO[wayOut(state, await deps.store.publications.of(state.run))];
}

/**
 * R-2: the commit is stored as ours before the branch points to it, so that after a lost response it is not taken for somebody
 * else's. Returns the commit, unless it was there before.
 */
async function commitWork(
  context: EffectContext,
  { files, workflows, leftOut, digest }: Work,
): Promise<Committed | undefined> {
  const { deps, github, state, target } = context;
  const content = contentOf({ digest, leftOut });
  const branch = publishedBranch(deps, state.run, target);
  const before = await deps.store.publications.of(state.run);
  const round = roundToPublish(state);
  // The branch may have been deleted when its pull request was closed, or set back to a commit before this one.
  const present = before.content === content ? await github.branchHead(await branch.name()) : undefined;
  const isBack =
    present !== before.head && (present === round?.head || (!!present && (await branch.isOurs(present))));
  if (present !== undefined && !isBack) return undefined;
  let created = false;
  const isOnOthers = round?.head !== undefined && !(await branch.isOurs(round.head));
  const addOurs = isOnOthers ? branch.addOursOnTop : branch.addOurs;
  const { name, head, isOfRound, isBelow } = await chooseBranch(context);
  // Others have pushed on top of it since, so the same work has no second place.
  if (isBelow) return undefined;
  const [parent, merged] = roundParents(state, target);
  const base = merged ?? parent;
  const { sha, base_tree } = await github
    .commit({
      branch: name,
      // The newest commit of ours is of other content. One of this round is ours whatever its message says: the title in it is
      // redacted, and may read otherwise by now.
      present: { head, isAnother: head !== undefined && head === before.head, isOurs: isOfRound },
      parent,
      merged,
      base_tree: before.base?.commit === base ? before.base.tree : undefined,
      message: await commitMessage(context),
      files,
      // V-5: a round appends to what is there.
      force: round === undefined,
      async onCreated(sha) {
        created = true;
        await addOurs(sha);
        await deps.store.publications.change(state.run, { made_from: { sha, content } });
        await demandStillWanted(context);
        await demandOpenPull(context);
      },
    })
    .catch(async (thrown: unknown) => {
      const isRejected = created && thrown instanceof GitHubError && thrown.status === 422;
      const error = (isRejected && (await explainMoved(context, name))) || thrown;
      throw explainCommit(error, { created, workflows });
    });
  await addOurs(sha);
  await deps.store.publications.change(state.run, {
    head: sha,
    content,
    made: created ? sha : before.made,
    base: base_tree === undefined ? before.base : { commit: base, tree: base_tree },
  });
  return { sha, isNewBranch: head === undefined };
}

/** Somebody pushed between the last look and the commit. The next try looks again. */
async function explainMoved({ github, state, target }: EffectContext, branch: string): Promise<unknown> {
  const head = await github.branchHead(branch);
  if (!roundToPublish(state) || head === roundParents(state, target)[0]) return undefined;
  return new GitHubError(`${branch} has moved meanwhile; nothing was changed.`, { status: 409 });
}

/** None of the changed files may be committed. */
async function reportNothingLeft(
  context: EffectContext,
  leftOut: Changeset['left_out'],
): Promise<Unpublished> {
  const { deps, state } = context;
  const detail = leftOut.slice(0, 10).map(({ path, problem }) => `${path}: ${problem}`);
  if (detail.length === 0) return nothingChanged(context);
  await replyOnce(deps, state.run, `publish:${deps.hash(detail.join())}`, {
    tone: 'refused',
    title: `No pull request: none of the ${leftOut.length} changed files can be committed.`,
    detail: detail.join('\n'),
  });
  return {
    why: `none of the ${leftOut.length} changed files can be committed`,
    detail: [...detail, await howToRedo(context)].join('\n'),
  };
}
