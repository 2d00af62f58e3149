/** `approval`: waits for a maintainer. `none`: skipped, cancelled or without an opinion. */
export type CiResult = 'running' | 'passed' | 'failed' | 'approval' | 'none';

/** One attempt of one check. */
export interface CiRun {
  /** Grows with every attempt. */
  id: number;
  name: string;
  result: CiResult;
  url?: string;
  ended_at?: string;
  /** The check's own notes about its failure. */
  notes: string[];
}

/** The checks that one App, or one workflow, makes on a commit. */
export interface CiSuite {
  result: CiResult;
  /** Made by us. */
  is_own: boolean;
  /** Names whoever made it. */
  name: string;
  /** The path of the workflow, if it is one of Actions. The ids of its runs are those of jobs. */
  workflow?: string;
  url?: string;
  runs: CiRun[];
}

/** A result that another service reports for a commit, without a log. */
export interface CommitStatus {
  name: string;
  result: CiResult;
  url?: string;
  note?: string;
  at: string;
}

/** The repository's CI on the head of a pull request. */
export interface PullCi {
  is_open: boolean;
  head: string;
  /** The message of the head. */
  message: string;
  base: string;
  mergeable: 'MERGEABLE' | 'CONFLICTING' | 'UNKNOWN';
  suites: CiSuite[];
  /** Undefined if the App may not read them. */
  statuses?: CommitStatus[];
}

/** One commit of the base on which a check has a result. */
export interface PastResult {
  sha: string;
  at: string;
  result: 'passed' | 'failed';
}

interface FailedJob {
  /** The step that failed. */
  step?: string;
  /** The end of its log. Undefined while there is none, or if it is too long to be read. */
  log?: string;
}

export interface CiMethods {
  /** Undefined if there is no such pull request. */
  pullCi(number: number): Promise<PullCi | undefined>;
  /** Results of a check on the newest commits of a branch, newest first. Those of `without`, a workflow, do not count. */
  pastResults(branch: string, check: { name: string; without: string }): Promise<PastResult[]>;
  /** Undefined if there is no such job. */
  failedJob(job: number): Promise<FailedJob | undefined>;
}
