import { renderRemarkReply, renderRoundSummary } from '../../comments/github/render-round.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { MOST_REPLIES, type ReviewedPull } from '../../core/ports/github/review-port.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import { publishedBranch } from '../published-branch.ts';
import { redactFor } from '../redact.ts';
import { isOnBranch } from '../revise/is-on-branch.ts';
import { replyOp } from '../revise/remark-marker.ts';
import { readMarker, upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';

type EndedRound = NonNullable<RunState['revisions']>[number];

/** A word for each thread. */
interface ThreadReply {
  op: string;
  thread: string;
  body: string;
}

/**
 * V-4: one review with a reply in each thread, so that reviewers get one notification. Nothing here is idempotent on GitHub, so
 * every reply carries its operation id, and what is there already is read before anything is written: a crash at any step
 * repeats nothing.
 */
export async function answerRemarks(
  context: EffectContext,
  { round: number, again }: { round: number; again?: true },
): Promise<void> {
  const { deps, github, state } = context;
  const round = state.revisions?.find((ended) => ended.number === number);
  const { pull: pullNumber, moved_from, ...publication } = await deps.store.publications.of(state.run);
  // Nothing is called fixed that is not on the branch. People are told by the publishing why it is not.
  if (!round || !isOnBranch(round, publication)) return;
  const pull = pullNumber !== undefined ? await github.reviewedPull(pullNumber) : undefined;
  if (!pull || pullNumber === undefined || pull.state !== 'OPEN') return;
  const summaryOp = replyOp(state.run, number, 'summary');
  const isAnswered = pull.reviews.some(
    (review) => review.is_own && review.state !== 'PENDING' && readMarker(review.body)?.op === summaryOp,
  );
  if (!isAnswered) {
    const replies = await repliesOf(context, round, pullNumber);
    const left = moved_from?.round === number ? moved_from.pull : undefined;
    const known = await facts(context, round);
    const summary = (refused: ReadonlySet<string>) =>
      renderRoundSummary(known, summaryOp, {
        to_reviews: ofReviews(pull, round),
        refused: inThreads(state.run, pull, round, refused),
        left: left === undefined ? undefined : { pull: left, remarks: withoutThread(pull, round) },
      });
    await writeReview(context, { pull, pullNumber, replies: unwritten(pull, replies), summary, summaryOp });
  }
  if (!again) await askAgain(context, pull, pullNumber, round);
}

async function facts({ deps, state, target }: EffectContext, round: EndedRound) {
  const { head, rounds } = await deps.store.publications.of(state.run);
  // Answers that GitHub refused before may come after the next round.
  if (!state.revision && state.revisions?.at(-1) === round) return { state, round, head };
  const own = rounds?.[round.number];
  const placeOf = await publishedBranch(deps, state.run, target).placeOf();
  return { state, round, head: own && placeOf(own), is_older: true };
}

async function repliesOf(context: EffectContext, round: EndedRound, pull: number): Promise<ThreadReply[]> {
  const { state } = context;
  const replies: ThreadReply[] = [];
  for (const remark of round.remarks) {
    if (!remark.thread) continue;
    const op = replyOp(state.run, round.number, remark.id);
    const body = renderRemarkReply(remark, await facts(context, round), op);
    replies.push({ op, thread: remark.thread, body: await sign(context, body, pull) });
  }
  return replies;
}

/** The answers to the words of reviews as a whole, which have no thread. */
function ofReviews({ reviews }: ReviewedPull, { remarks }: EndedRound) {
  return remarks
    .filter(({ thread }) => thread === undefined)
    .map((remark) => {
      const review = reviews.find(({ id }) => id === remark.read?.id);
      return { ...remark, author: review?.author, url: review?.url };
    });
}

/** The answers to these threads, with the place where people find them. */
function inThreads(
  run: string,
  { threads }: ReviewedPull,
  { number, remarks }: EndedRound,
  wanted: ReadonlySet<string>,
) {
  return remarks
    .filter(({ thread }) => thread !== undefined && wanted.has(thread))
    .map((remark) => ({
      ...remark,
      op: replyOp(run, number, remark.id),
      url: threads.find(({ id }) => id === remark.thread)?.comments[0]?.url,
    }));
}

/** Remarks whose thread is in the pull request that the work has left. They are answered in the summary. */
function withoutThread({ threads }: ReviewedPull, { remarks }: EndedRound): EndedRound['remarks'] {
  const known = new Set(threads.map(({ id }) => id));
  return remarks.filter(({ thread }) => thread && !known.has(thread));
}

/** Replies that are not there yet and have a thread to go to. */
function unwritten({ threads }: ReviewedPull, replies: ThreadReply[]): ThreadReply[] {
  const there = new Set(
    threads.flatMap(({ comments }) =>
      comments.filter(({ is_own }) => is_own).map(({ body }) => readMarker(body)?.op),
    ),
  );
  const known = new Set(threads.map(({ id }) => id));
  return replies.filter(({ op, thread }) => !there.has(op) && known.has(thread));
}

interface Answers {
  pull: ReviewedPull;
  pullNumber: number;
  replies: ThreadReply[];
  /** With the answers to threads in which GitHub refuses the reply. */
  summary: (refused: ReadonlySet<string>) => string;
  summaryOp: string;
}

async function writeReview(context: EffectContext, work: Answers): Promise<void> {
  const { deps, github } = context;
  const { pull, replies, summary } = work;
  // It was a comment before, and there is one of each.
  if (await deps.store.comments.find(work.summaryOp)) return writeOneByOne(context, work);
  // A crash may have left a review of ours that nobody sees. There can be only one.
  const left = pull.reviews.find((review) => review.is_own && review.state === 'PENDING');
  let review = left?.node_id;
  if (review === undefined) {
    try {
      review = (await github.beginReview(pull.node_id)).node_id;
    } catch (error) {
      if (!(error instanceof GitHubError) || ![403, 422].includes(error.status)) throw error;
      return writeOneByOne(context, work);
    }
  }
  const begun = left ? await github.repliesInReview(review) : [];
  const written = new Set(begun.map((body) => readMarker(body)?.op));
  const missing = replies.filter(({ op }) => !written.has(op));
  const refused = new Set<string>();
  for (let from = 0; from < missing.length; from += MOST_REPLIES)
    for (const thread of await github.replyInReview(review, missing.slice(from, from + MOST_REPLIES)))
      refused.add(thread);
  await github.submitReview(review, await sign(context, summary(refused), work.pullNumber));
}

/** Where no review can be begun, each reply is a comment of its own. */
async function writeOneByOne(
  { deps, github, state }: EffectContext,
  { pull, pullNumber, replies, summary, summaryOp }: Answers,
): Promise<void> {
  const refused = new Set<string>();
  for (const { thread, body } of replies) {
    const first = pull.threads.find(({ id }) => id === thread)?.comments[0];
    if (first && !(await github.replyToRemark(pullNumber, first.id, body))) refused.add(thread);
  }
  const body = summary(refused);
  await upsertComment(deps, github, { run: state.run, op: summaryOp, body, issue: pullNumber });
}

/** The reviewers who block are asked once in each round. Nothing is resolved for them. */
async function askAgain(
  { github, target }: EffectContext,
  { reviews, is_draft }: ReviewedPull,
  pull: number,
  { at }: EndedRound,
): Promise<void> {
  if (is_draft || target.revisions?.request_review === 'off') return;
  const newest = new Map(
    reviews
      .filter(
        ({ state, author_type }) => author_type === 'User' && state !== 'COMMENTED' && state !== 'PENDING',
      )
      .map((review) => [review.author, review]),
  );
  const blocking = [...newest.values()].filter(
    ({ state, submitted_at = '' }) => state === 'CHANGES_REQUESTED' && submitted_at <= laterBy(at),
  );
  if (blocking.length > 0)
    await github.requestReview(
      pull,
      blocking.map(({ author }) => author),
    );
}

/** A review that was submitted during the round waits for the next one. */
function laterBy(at: string): string {
  return new Date(Date.parse(at) + 120_000).toISOString();
}

async function sign({ deps, state }: EffectContext, body: string, pull: number): Promise<string> {
  return deps.ownership.sign(await redactFor(deps, state.run, body), pull);
}
