import type { InstalledRepository, PolledRepository } from '../../core/ports/cursors.ts';
import type { GitHub, GitHubComment } from '../../core/ports/github-port.ts';
import type { PlacedRun } from '../../core/ports/run-log.ts';
import type { AppDependencies } from '../dependencies.ts';

/** A repository with its runs that have not ended. */
export interface PolledTarget extends InstalledRepository {
  runs: PlacedRun[];
}

/** Everything that reading one list of a repository needs. */
export interface RepositoryRound {
  deps: AppDependencies;
  github: GitHub;
  /** The memory of the repository, stored when the round ends. */
  polled: PolledRepository;
  /** Whether a run may be read on its own now, with this many calls. Runs at work are not put off. */
  mayRead(placed: PlacedRun, calls: number): boolean;
  /** A comment that an event has told of: it is handled as the event tells it, in its place among the others. */
  told?: { comment: number; handle(): Promise<void> };
  /** Comments count while the pull request rests, too. Absent: webhooks tell of those, and reading them costs calls. */
  hearsAtRest?: boolean;
  /** All comments of one issue, read at one moment, where they are few enough for one call. */
  comments?: { number: number; all: readonly GitHubComment[] };
  /** Ids of comments that were just listed, so that they are there for certain. */
  present?: ReadonlySet<number>;
  /** Node ids of pull requests that had no review just now. */
  unreviewed?: ReadonlySet<string>;
  /** Reports a failure and returns false, so that the others are still handled. */
  attempt(about: object, work: () => Promise<void>): Promise<boolean>;
}
