import type { PolledRepository } from '../../core/ports/cursors.ts';
import type { GitHubComment, GitHubIssue } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';
import { labellingOf } from '../labelling.ts';

/** GitHub may list a comment a little after its creation. Comments that are read twice are handled once. */
export const OVERLAP_MS = 60_000;
/** A list that is longer than this begins at a later time, which costs one counted call. */
const SHORT = 50;

export type Numbered = GitHubComment & { number: number };

/** The issue and its pull request. */
export function numbersOf({ target, pull }: PlacedRun): number[] {
  return pull === undefined ? [target.issue] : [target.issue, pull];
}

/** By GitHub's clock, which may differ from the desk's: what changed later is in the list, what is older is read per run. */
export async function firstSince(
  deps: AppDependencies,
  runs: PlacedRun[],
  issues: GitHubIssue[] | undefined,
): Promise<string> {
  const numbers = runs.map(({ target }) => target.issue);
  const times = (issues ?? []).flatMap(({ number, updated_at }) =>
    numbers.includes(number) ? updated_at : [],
  );
  for (const { run } of times.length > 0 ? [] : runs) {
    const { state } = await deps.store.runs.load(run);
    if (state) times.push((await labellingOf(deps, state)).at);
  }
  return earlier(newestOf(times));
}

/** The time moves on only when the list has become long, because the ETags are those of the list since that time. */
export function continueFrom(
  read: NonNullable<PolledRepository['comments']>,
  items: Numbered[],
): NonNullable<PolledRepository['comments']> {
  if (items.length <= SHORT) return read;
  const since = earlier(newestOf(items.map(({ updated_at }) => updated_at)));
  if (Date.parse(since) <= Date.parse(read.since)) return read;
  const kept = items.filter(({ updated_at }) => Date.parse(updated_at) >= Date.parse(since));
  const handled = kept.flatMap(({ id }) => {
    const digest = read.handled[id];
    return digest === undefined ? [] : [[String(id), digest]];
  });
  return { since, etags: [], handled: Object.fromEntries(handled) };
}

export function newestOf(times: string[]): number {
  return Math.max(0, ...times.map((at) => Date.parse(at)));
}

function earlier(ms: number): string {
  return new Date(Math.max(0, Math.floor(ms / 1_000) * 1_000 - OVERLAP_MS)).toISOString();
}
