import type { RunTarget } from './run-target.ts';

/** A repository that an installation gives access to. */
export type InstalledRepository = Pick<RunTarget, 'installation_id' | 'owner' | 'repo' | 'repo_id'> & {
  archived: boolean;
};

/** A list that was read once is asked for with its ETags, so that GitHub does not count the call while nothing changed. */
export interface PolledRepository {
  /** The label as the repository spells it, and when that was last asked. */
  label?: { name: string; etag?: string; asked_at: string };
  /** ETags of the open issues with the label. */
  issues?: string[];
  /** The numbers of these issues. Missing in records of older versions. */
  listed?: number[];
  /**
   * Comments since a time that stays the same for as long as the list is short, because the ETag belongs to the time. `handled`
   * has a digest by comment.
   */
  comments?: { since: string; etags: string[]; handled: Record<string, string> };
  /** Some runs were not read on their own yet. Only in records of older versions. */
  unread?: true;
  /** Pull requests, and when the newest of them had changed. */
  pulls?: { since: string; etags: string[] };
}

/** The memory of reconcile between two rounds, by the thing it looks at. */
export interface CursorValues {
  /** `repo_id`: when a repository without a run under way was last read. */
  labels: { read_at: string };
  /** `repo_id` */
  polled: PolledRepository;
  /** An installation: how many runs could still be read on their own, and when that was. */
  first_reads: { left: number; at: string };
  /** `repo_id#issue`: a labelled issue that started nothing, as it was then. */
  labelled_issue: { updated_at: string };
  /**
   * A run: up to when its comments were read on their own, by the number of issue or pull request; what was seen unchanged; and
   * since when its issue is not among the labelled ones.
   */
  run: {
    comments?: Record<string, string>;
    /**
     * While the run rests, by the same number: when the issue or pull request had changed as its comments were last read, and
     * whether they were read once more after GitHub's clock moved on.
     */
    rest?: Record<string, { at: string; settled: boolean }>;
    /** The pull request when its reviews were last read, and whether they were read once more after GitHub's clock moved on. */
    reviewed?: { at: string; settled: boolean };
    /** The pull request as it was last handled. */
    pull_digest?: string;
    /** The issue when the comments of the run were last looked for, and as it was when that was put off. */
    question?: string;
    question_due?: string;
    /** How often CI of a head was asked for, and whether it was over then. */
    ci?: { head: string; reads: number; at: string; over: boolean };
    /** Whether a head conflicts with its base, once GitHub has said so. */
    base?: { head: string; at: string; conflict?: boolean };
    absent?: { since: string; read_at: string };
    /** The end that its issue shows, such as a close, while GitHub did not say who did it. */
    unknown?: string;
  };
  /** A run: the newest job that left entries which do not count, with their number by reason. */
  dropped: { job: number; reasons: Record<string, number> };
  /** `all`: a desk that does not stay has performed effects since then. Without a time, the last one has finished. */
  performing: { since?: string };
  /** An operation that starts a job: when Actions was last asked about it. */
  job: { asked_at: string };
  /**
   * `all`: the repositories the App is installed in. Without a time, an event has told of a change. GitHub may have asked the App
   * to wait.
   */
  repositories: {
    read_at?: string;
    rest?: { since: string; seconds: number };
    installed: InstalledRepository[];
  };
  /** A run whose label was deleted or renamed in the whole repository. Without a time, somebody has set it again since. */
  label_gone: { since?: string };
  /**
   * Something of ours, and what happened to it: from which hour on it may be restored how often in an hour, and how many hours it
   * is left alone after that. Hours are counted since 1970.
   */
  restored: { from: number; turns: number; wait: number };
  /** `all`: failed deliveries of the App. */
  deliveries: { looked_at?: string; seen?: string; problem?: string };
  /** The GUID of a delivery: how often GitHub was asked to send it again, and the attempt that failed before. */
  redelivery: { tries: number; after: string };
}

export interface Cursors {
  get<Name extends keyof CursorValues>(name: Name, of: string): Promise<CursorValues[Name] | undefined>;
  set<Name extends keyof CursorValues>(name: Name, of: string, value: CursorValues[Name]): Promise<void>;
}
