import { readMarker } from '../../src/app/upsert-comment.ts';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { BOT, type FakeCommit, type FakeGitHub, type Pull } from './fake-github.ts';
import type { Requested, Reviewers } from './reviewers.ts';

type Ended = NonNullable<RunState['revisions']>[number];

interface Rounds {
  github: FakeGitHub;
  store: HostedStore;
  reviewers: Reviewers;
  /** `<base> <content>` of work that a fresh job verified. */
  verifiedOn: ReadonlySet<string>;
}

const REFUSED = /^✗ \*\*The work was not committed/m;
const MAY_COMMAND = new Set(['rosa', 'walter']);

/** At rest nothing of a round is lost, and nothing is there twice. */
export async function judgeRounds(rounds: Rounds, state: RunState): Promise<string[]> {
  const { store, github } = rounds;
  const { pull: number, branch, unpublished } = await store.publications.of(state.run);
  const pull = number === undefined ? undefined : github.pulls.get(number);
  const ended = (state.revisions ?? []).filter(({ outcome }) => outcome === 'done' || outcome === 'partial');
  return [
    ...checkNumbers(state),
    ...checkWaiting(state),
    ...ended.flatMap((round) => checkVerified(rounds, state, round)),
    ...ended.flatMap((round) => checkUpdated(github, state, round)),
    ...checkTicked(state, pull),
    // On a branch of its own the work has another pull request, without those threads.
    ...ended.flatMap((round) =>
      checkAnswered(github, state, round, pull?.state === 'open' && branch === undefined && !unpublished),
    ),
    ...(await unheardRequests(rounds, state)).map(
      ({ id, by }) => `V-2: review ${id} of ${by} was never heard by ${state.run}`,
    ),
  ];
}

/** V-5: commits of people stay where they are, and no pending review of ours is left for good. */
export function judgePulls(github: FakeGitHub): string[] {
  const moved = github.pushed.filter(
    ({ branch, commit }) => !github.descends(commit, github.branches.get(branch)),
  );
  const pending = [...github.pulls.values()].filter(
    (pull) =>
      pull.state === 'open' &&
      github.reviewsOf(pull).reviews.some(({ is_own, state }) => is_own && state === 'PENDING'),
  );
  return [
    ...moved.map(({ branch }) => `V-5: a commit of a person is not on ${branch} any more`),
    ...pending.map(({ number }) => `V-4: a review of ours was begun on ${number} and never submitted`),
  ];
}

/** V-1: rounds are counted on. */
function checkNumbers({ run, revisions = [], revision }: RunState): string[] {
  const numbers = [...revisions, ...(revision ? [revision] : [])].map(({ number }) => number);
  return numbers.every((number, index) => number === index + 2)
    ? []
    : [`V-1: the rounds of ${run} are ${numbers.join()}`];
}

/** V-2: what was asked for at rest has begun, or people were told why not. */
function checkWaiting({ run, status, asked_revisions = [] }: RunState): string[] {
  return status === 'reviewing' && asked_revisions.length > 0
    ? [`V-2: ${run} rests, and the round that ${asked_revisions[0]?.by} asked for never began`]
    : [];
}

/** V-5, V-1: the commit of a round that is done was verified as it is: its files on its parent. */
function checkVerified({ github, verifiedOn }: Rounds, { run }: RunState, round: Ended): string[] {
  if (round.outcome !== 'done') return [];
  return commitsOf(github, run, round)
    .filter(
      ([, { parent, merged, files }]) =>
        files.length > 0 && !files.some(({ content }) => verifiedOn.has(`${merged ?? parent} ${content}`)),
    )
    .map(() => `V-5: round ${round.number} of ${run} was published on a head on which nobody verified it`);
}

function commitsOf({ commits }: FakeGitHub, run: string, { number }: Ended): [string, FakeCommit][] {
  return [...commits].filter(([, { message }]) => message.includes(`run ${run}. Round ${number},`));
}

/** V-6: an update has both parents, and the files of both: of the base, and of the head. Conflicts have both sides in them. */
function checkUpdated(github: FakeGitHub, { run }: RunState, round: Ended): string[] {
  const { update, head = '', number } = round;
  const conflicts = new Set(update?.conflicts);
  const kept = new Set(update?.kept?.map(({ path }) => path));
  return commitsOf(github, run, round).flatMap(([id, { parent, merged }]) => {
    if (merged !== update?.sha || (update && parent !== head))
      return [`V-6: round ${number} of ${run} has the parents ${parent} and ${merged}`];
    if (!update) return [];
    const tree = github.filesAt(id);
    const [ours, theirs] = [github.filesAt(head), github.filesAt(update.sha)];
    return [...new Set([...ours.keys(), ...theirs.keys()])]
      .filter((path) => !conflicts.has(path) && tree.get(path) !== (kept.has(path) ? ours : theirs).get(path))
      .map((path) => `V-6: ${path} was lost by round ${number} of ${run}`);
  });
}

/** V-6: a box that a person ticked was read, whatever became of its webhook, and is empty again. */
function checkTicked(state: RunState, pull: Pull | undefined): string[] {
  return isTicked(state, pull) ? [`V-6: a tick in the description of ${state.run} was never heard`] : [];
}

function isTicked({ status, revision }: RunState, pull: Pull | undefined): boolean {
  if (pull?.state !== 'open' || status !== 'reviewing' || revision) return false;
  return /^- \[x\] <!-- autobuild:option id=/m.test(pull.body);
}

/** Whether the run rests, and something that people asked for there is still to be found: it is looked at more rarely. */
export async function isUnheard(
  rounds: Pick<Rounds, 'store' | 'github' | 'reviewers'>,
  state: RunState,
): Promise<boolean> {
  const { pull } = await rounds.store.publications.of(state.run);
  if (pull !== undefined && isTicked(state, rounds.github.pulls.get(pull))) return true;
  return (await unheardRequests(rounds, state)).length > 0;
}

/**
 * V-4: one review for a round, and one reply for each of its remarks; the answer to the words of a review is in the summary. If
 * its work was refused, they stay open, and people know.
 */
function checkAnswered(
  github: FakeGitHub,
  { run, revisions = [] }: RunState,
  round: Ended,
  isRestingThere: boolean,
): string[] {
  const { said, replied, texts } = wordsOf(github);
  const next = revisions.find(({ number }) => number > round.number);
  const isRefused =
    commitsOf(github, run, round).length === 0 &&
    [...github.comments.values()].some(
      ({ author, body, created_at }) =>
        author === BOT &&
        REFUSED.test(body) &&
        created_at >= round.at &&
        (!next || created_at <= next.ended_at),
    );
  const isDue = isRestingThere && round.remarks.length > 0 && !isRefused;
  const summary = `${run}.round-${round.number}.summary`;
  const replies = round.remarks
    .filter(({ thread }) => thread !== undefined)
    .map(({ id }) => `${run}.round-${round.number}.${id}`);
  const count = (list: readonly string[], op: string) => list.filter((one) => one === op).length;
  const miscounted = [
    ...[summary].map((op) => ({ op, times: count(said, op) })),
    ...replies.map((op) => ({ op, times: count(replied, op) })),
  ].filter(({ times }) => times > 1 || (isDue && times === 0));
  const unsaid = round.remarks.filter(
    ({ thread, note }) => isDue && thread === undefined && note && !texts.get(summary)?.includes(note),
  );
  return [
    ...miscounted.map(({ op, times }) => `V-4: ${op} was said ${times} times`),
    ...unsaid.map(({ id }) => `V-4: the answer to ${id}, words of a review, is not in ${summary}`),
  ];
}

/** Markers of our summaries, as a review or as a comment, and of our replies that people see. */
function wordsOf(github: FakeGitHub): { said: string[]; replied: string[]; texts: Map<string, string> } {
  const opOf = ({ body }: { body: string }) => readMarker(body)?.op ?? '';
  const all = [...github.reviews.values()];
  const comments = [...github.comments.values()].filter(({ author }) => author === BOT);
  const submitted = all.flatMap(({ reviews }) => reviews.filter(({ is_own }) => is_own));
  return {
    said: [...submitted, ...comments].map(opOf),
    texts: new Map([...submitted, ...comments].map((word) => [opOf(word), word.body])),
    replied: all.flatMap(({ threads }) =>
      threads.flatMap(({ comments: words }) => words.filter(({ is_own }) => is_own).map(opOf)),
    ),
  };
}

/** V-2: reviews that request changes and were not heard, whatever became of their webhook. */
async function unheardRequests(
  { store, github, reviewers }: Pick<Rounds, 'store' | 'github' | 'reviewers'>,
  { run, status, revision }: RunState,
): Promise<Requested[]> {
  const { pull: number } = await store.publications.of(run);
  const pull = number === undefined ? undefined : github.pulls.get(number);
  if (pull?.state !== 'open' || (status !== 'reviewing' && !revision)) return [];
  const { reviews } = github.reviewsOf(pull);
  const unheard: Requested[] = [];
  for (const request of reviewers.requested) {
    // One that was dismissed before it was heard asks for nothing.
    const isDue = reviews.some(({ id, state }) => id === request.id && state === 'CHANGES_REQUESTED');
    if (!isDue || !MAY_COMMAND.has(request.by)) continue;
    if (!(await store.runs.wasSeen(`changes-requested:${request.id}`))) unheard.push(request);
  }
  return unheard;
}
