import { code } from '../../comments/text/harmless.ts';
import { SKIP_CI, skipsCi } from '../../comments/text/skip-ci.ts';
import { count } from '../../comments/text/words.ts';
import type { Reply } from '../../core/contracts/effect.ts';
import type { PullCommit } from '../../core/ports/github/merge-port.ts';
import type { EffectContext } from '../effects/effect-context.ts';
import { publishedBranch } from '../published-branch.ts';

const MOST_NAMED = 5;

/** Commits of a pull request whose messages hold CI back. */
interface MarkedCommits {
  /** From our lowest commit with the mark to the head, all of them ours, with the messages that they should have. */
  own: { sha: string; message: string }[];
  /** The others. They are somebody else's, or somebody else has a commit above them. */
  rest: string[];
  /** All of them. */
  all: string[];
}

/**
 * A squash takes over the messages of all commits, so that the mark of an older one would hold CI back on the default branch.
 * Commits of others are never made again, nor are ours below them (V-5).
 */
export async function findMarked(
  { deps, github, state, target }: EffectContext,
  { base, head }: { base: string; head: string },
): Promise<MarkedCommits> {
  const branch = publishedBranch(deps, state.run, target);
  const commits = await github.commitsSince(base, head);
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const ours: PullCommit[] = [];
  for (
    let at = bySha.get(head);
    at && (await branch.isOursOnTop(at.sha));
    at = bySha.get(at.parents[0] ?? '')
  )
    ours.unshift(at);
  const lowest = ours.findIndex(isMarked);
  const own = lowest === -1 ? [] : ours.slice(lowest);
  const all = commits.filter(({ message }) => skipsCi(message)).map(({ sha }) => sha);
  return {
    own: own.map(({ sha, message }) => ({ sha, message: withoutMark(message) })),
    rest: all.filter((sha) => !own.some((commit) => commit.sha === sha)),
    all,
  };
}

function isMarked({ message }: PullCommit): boolean {
  return message.endsWith(SKIP_CI);
}

function withoutMark(message: string): string {
  return message.endsWith(SKIP_CI) ? message.slice(0, -SKIP_CI.length).trimEnd() : message;
}

/** CI runs on the pull request, but these commits can hold it back after the merge. */
export function describeKept(
  shas: readonly string[],
  { isRefused, branch }: { isRefused: boolean; branch: string },
): Reply {
  const named = shas.slice(0, MOST_NAMED).map((sha) => code(sha.slice(0, 7), 7));
  const more = shas.length > MOST_NAMED ? ` and ${shas.length - MOST_NAMED} more` : '';
  const why = isRefused
    ? 'GitHub does not let Autobuild rewrite this branch'
    : 'commits of other people are among them or above them';
  return {
    tone: 'info',
    title: `CI runs here, but a squash can still skip it on ${code(branch, 100)}.`,
    detail: `${count(shas.length, 'commit message')} of this pull request (${named.join(', ')}${more}) still ${shas.length === 1 ? 'tells' : 'tell'} GitHub to skip CI, because ${why}.\nIf you squash, remove the line in brackets from the message before you confirm.`,
  };
}
