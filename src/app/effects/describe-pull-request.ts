import { keepAddedText, renderPullRequest } from '../../comments/github/render-pull-request.ts';
import { type BranchStanding, ciBoxId } from '../../comments/github/sections/branch-standing.ts';
import { ADDRESS_BOX, UPDATE_BOX } from '../../comments/github/sections/rounds.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { ReviewedPull } from '../../core/ports/github/review-port.ts';
import type { PullRequest } from '../../core/ports/github-port.ts';
import { commentContext } from '../comment-context.ts';
import { publishedBranch } from '../published-branch.ts';
import { redactFor } from '../redact.ts';
import { answeredRounds } from '../revise/answered-rounds.ts';
import { countOpen } from '../revise/collect-remarks.ts';
import { isCommitOf } from '../revise/follow-head.ts';
import { changedOnBoth } from '../revise/read-update.ts';
import { settledWords } from '../revise/settled-words.ts';
import { newTicks } from '../ticked-boxes.ts';
import type { EffectContext } from './effect-context.ts';
import { unseenWork } from './work-diffs.ts';

/** Renders the description from the record. The *Run CI* box is empty, or replaced by who asked for CI. */
export async function renderDescription(
  context: EffectContext,
  head: string,
  pull?: PullRequest,
): Promise<string> {
  const { deps, state, target } = context;
  const branch = publishedBranch(deps, state.run, target);
  const where = await commentContext(deps, state, target, `${state.run}.pr`);
  const text = renderPullRequest(state, where, {
    left_out: await branch.leftOut(),
    unseen: await unseenWork(context),
    ...(await standing(context, pull, head)),
    commitOf: await commitsOf(context, head),
    ci: deps.settings.capabilities.ci_approval
      ? 'approval'
      : target.ci === 'skip'
        ? { head, asked: await branch.ciRequest() }
        : undefined,
  });
  return redactFor(deps, state.run, text);
}

/** Only while the run rests on a pull request that reviewers were shown: until then there is nothing that a round could begin from. */
async function standing(
  context: EffectContext,
  pull: PullRequest | undefined,
  head: string,
): Promise<Pick<BranchStanding, 'open_remarks' | 'conflict'>> {
  const { deps, github, state, target } = context;
  if (!pull || pull.draft || state.status !== 'reviewing') return {};
  const reviewed = await github.reviewedPull(pull.number);
  if (reviewed?.state !== 'OPEN') return {};
  const open_remarks = countOpen(reviewed, {
    until: LATEST,
    ...settledWords(deps, state, pull.number, await answeredRounds(deps, state, target, reviewed)),
    isHeard: () => true,
  });
  return { open_remarks, conflict: await findConflict(context, reviewed, head) };
}

/** V-6. While GitHub computes, its last answer about this head counts. */
async function findConflict(
  { deps, github, state }: EffectContext,
  { mergeable, base_ref: branch }: ReviewedPull,
  head: string,
): Promise<BranchStanding['conflict']> {
  const { base } = (await deps.store.cursors.get('run', state.run)) ?? {};
  const isStill = mergeable === 'UNKNOWN' && base?.head === head && base.conflict === true;
  if (mergeable !== 'CONFLICTING' && !isStill) return undefined;
  const tip = await github.branchHead(branch);
  const sides = tip === undefined ? undefined : await github.mergeSides(head, tip);
  return { branch, files: typeof sides === 'object' ? changedOnBoth(sides) : [] };
}

/** Later than every time. */
const LATEST = '9999-12-31T23:59:59Z';

/** The head on which the next round began is the commit of the round before, unless somebody else made it. */
async function commitsOf(
  context: EffectContext,
  head: string,
): Promise<(round: number) => string | undefined> {
  const { deps, state, target } = context;
  const { revisions = [], revision } = state;
  if (revisions.length === 0 && !revision) return () => undefined;
  const branch = publishedBranch(deps, state.run, target);
  const own = new Set<string>();
  const placeOf = await branch.placeOf();
  const heads = new Map([...headsOf(state, head)].map(([round, sha]) => [round, placeOf(sha)]));
  // The work of the last round may not be on the branch: refused, or too late for the merge.
  const last = revisions.at(-1);
  if (last && !revision && !(await isCommitOf(context, last.number, head))) heads.delete(last.number);
  // On top of somebody else's commit there may also be one that only runs CI.
  for (const [round, sha] of heads)
    if ((await branch.isOurs(sha)) || (await isCommitOf(context, round, sha))) own.add(sha);
  return (round) => {
    const sha = heads.get(round);
    return sha !== undefined && own.has(sha) ? sha : undefined;
  };
}

function headsOf({ revisions = [], revision }: RunState, head: string): Map<number, string> {
  const later = [...revisions, ...(revision ? [revision] : [])];
  const heads = new Map<number, string>();
  for (const round of later) if (round.head !== undefined) heads.set(round.number - 1, round.head);
  const last = revisions.at(-1);
  if (last && !revision) heads.set(last.number, head);
  // A round without a result made no commit.
  for (const { number, outcome } of revisions)
    if (outcome !== 'done' && outcome !== 'partial') heads.delete(number);
  return heads;
}

/**
 * Writes the description as it should be, with the text that people added below it; `send` gets undefined if it is so already.
 * `handled` are boxes whose tick was read. While another one is ticked, nothing is written: that would erase the tick before a
 * handler has read it, and that handler has the description written afterwards.
 */
export async function writeDescription(
  context: EffectContext,
  pull: PullRequest,
  head: string,
  {
    handled = [],
    send = async (body) =>
      body === undefined ? undefined : context.github.updatePullRequest(pull.number, { body }),
  }: { handled?: readonly string[]; send?(body: string | undefined): Promise<void> } = {},
): Promise<void> {
  const { publications } = context.deps.store;
  const { run } = context.state;
  const before = (await publications.of(run)).ticked ?? [];
  const known = new Set([...before, ...handled]);
  // Kept, because it may be another tick that holds this one up.
  if (known.size > before.length) await publications.change(run, { ticked: [...known] });
  const boxes = new Set([ciBoxId(head), ADDRESS_BOX, UPDATE_BOX]);
  if (newTicks('', pull.body).some((box) => boxes.has(box) && !known.has(box))) return send(undefined);
  const body = keepAddedText(pull.body, await renderDescription(context, head, pull));
  await send(pull.body.replaceAll('\r\n', '\n') === body ? undefined : body);
  if (known.size > 0) await publications.change(run, { ticked: [] });
}
