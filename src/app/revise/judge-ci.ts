import { skipsCi } from '../../comments/text/skip-ci.ts';
import type { CiRun, CiSuite, PullCi } from '../../core/ports/github/ci-port.ts';

/** A failing check as GitHub has it, before its job and the base were looked at. */
export interface FailingCheck {
  name: string;
  url?: string;
  ended_at?: string;
  notes: string[];
  /** The job of Actions that it is. */
  job?: number;
}

interface JudgedCi {
  /** All of it is over, so that one comment can tell all of it. */
  isOver: boolean;
  total: number;
  failing: FailingCheck[];
  flaky: string[];
  waiting: { name: string; url?: string }[];
  conflict: boolean;
}

/** The repository's own CI on a head: without our check run and without the workflow that our jobs are. */
export function judgeCi(pull: PullCi, ourWorkflow: string): JudgedCi {
  const suites = pull.suites.filter(
    (suite) => !suite.is_own && !isWorkflow(suite, ourWorkflow) && isUsed(suite),
  );
  const checks = suites.flatMap((suite) => newestRuns(suite).map((attempts) => ({ suite, attempts })));
  const statuses = pull.statuses ?? [];
  const latest = checks.flatMap(({ suite, attempts }) => attempts.slice(-1).map((run) => ({ suite, run })));
  const waiting = [
    ...suites.filter(({ result, runs }) => result === 'approval' && runs.length === 0),
    ...latest.filter(({ run }) => run.result === 'approval').map(({ run }) => run),
  ];
  const broken = suites.filter(({ result, runs }) => result === 'failed' && runs.length === 0);
  return {
    isOver: [...suites, ...latest.map(({ run }) => run), ...statuses].every(
      ({ result }) => result !== 'running',
    ),
    total: latest.length + statuses.length + broken.length,
    failing: [
      ...latest.filter(({ run }) => run.result === 'failed').map(({ suite, run }) => describe(suite, run)),
      // A workflow that GitHub could not even begin has no jobs.
      ...broken.map(({ name, url }) => ({ name, url, notes: ['The workflow did not start.'] })),
      ...statuses
        .filter(({ result }) => result === 'failed')
        .map(({ name, url, note, at }) => ({ name, url, ended_at: at, notes: note ? [note] : [] })),
    ],
    flaky: checks
      .filter(({ attempts }) => passedLater(attempts))
      .map(({ attempts }) => attempts[0]?.name ?? ''),
    waiting: waiting.map(({ name, url }) => ({ name, url })),
    // A commit that skips CI misses none.
    conflict:
      suites.length + statuses.length === 0 && pull.mergeable === 'CONFLICTING' && !skipsCi(pull.message),
  };
}

function isWorkflow({ workflow }: CiSuite, file: string): boolean {
  return workflow?.split('/').at(-1) === file;
}

/** GitHub makes a suite for every App that could check a commit, also if it never does. */
function isUsed({ runs, workflow, result }: CiSuite): boolean {
  return runs.length > 0 || (workflow !== undefined && result !== 'none' && result !== 'passed');
}

/** The attempts of each check, oldest first. */
function newestRuns({ runs }: CiSuite): CiRun[][] {
  const byName = Map.groupBy(runs, ({ name }) => name);
  return [...byName.values()].map((attempts) => attempts.toSorted((a, b) => a.id - b.id));
}

function passedLater(attempts: CiRun[]): boolean {
  return attempts.at(-1)?.result === 'passed' && attempts.some(({ result }) => result === 'failed');
}

function describe({ workflow }: CiSuite, { id, name, url, ended_at, notes }: CiRun): FailingCheck {
  return { name, url, ended_at, notes, job: workflow === undefined ? undefined : id };
}
