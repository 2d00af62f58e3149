import type { CiReport, FailedCheck } from '../../core/contracts/revision.ts';
import { isAtRest, type KnownCi, type RunState } from '../../core/contracts/run-state.ts';
import type { PastResult, PullCi } from '../../core/ports/github/ci-port.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { publishedBranch } from '../published-branch.ts';
import { redactFor } from '../redact.ts';
import { type FailingCheck, judgeCi } from './judge-ci.ts';
import { errorIn, readLog } from './log-tail.ts';

/** Failing checks beyond these are named, and nothing is looked up about them. */
const LOOKED_UP = 5;
const WORKFLOWS = '.github/workflows/';

/** `unread`: there is nothing to ask for. `over`: what there is to say about this head was said. */
type Read = 'unread' | 'running' | 'over';

/**
 * V-7: reads CI on the head of a run's pull request, and reports it once all of it is over. It may be called again for the same
 * head.
 */
export async function readCi(
  deps: AppDependencies,
  github: GitHub,
  run: string,
  sha?: string,
): Promise<{ read: Read; head?: string }> {
  const { runs, publications } = deps.store;
  const target = await runs.target(run);
  const { state } = await runs.load(run);
  const { pull: number } = await publications.of(run);
  const on_failure = target?.revisions?.on_ci_failure ?? 'ask';
  if (!target || !state || number === undefined || on_failure === 'off') return { read: 'unread' };
  if (!isAtRest(state) || state.pending !== undefined) return { read: 'unread' };
  const pull = await github.pullCi(number);
  if (!pull?.is_open || (sha !== undefined && pull.head !== sha)) return { read: 'unread' };
  const { head } = pull;
  // A commit of somebody else is for its author to look after.
  if (!(await publishedBranch(deps, run, target).isOursOnTop(head))) return { read: 'unread', head };
  const judged = judgeCi(pull, target.workflow);
  if (!judged.isOver) return { read: 'running', head };
  const known = state.ci?.find((report) => report.head === head);
  if (known && isKnown(known, judged)) return { read: 'over', head };
  const { total, flaky, waiting, conflict, failing } = judged;
  const failed: FailedCheck[] = [];
  for (const [index, check] of failing.entries())
    failed.push(await lookUp(deps, github, { state, target, pull, check, isDetailed: index < LOOKED_UP }));
  const report: CiReport = { head, base: pull.base, total, failed, flaky, waiting, conflict };
  const at = deps.now().toISOString();
  await handleInput(deps, run, { type: 'ci_finished', at, report, on_failure });
  return { read: total === 0 && !conflict && waiting.length === 0 ? 'running' : 'over', head };
}

/** Nothing is fetched again while the same checks fail. */
function isKnown({ failed, flaky, waiting, conflict }: KnownCi, now: ReturnType<typeof judgeCi>): boolean {
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  const facts = [names(failed), flaky, names(waiting), conflict];
  return (
    JSON.stringify(facts) ===
    JSON.stringify([names(now.failing), now.flaky, names(now.waiting), now.conflict])
  );
}

interface Question {
  state: RunState;
  target: RunTarget;
  pull: PullCi;
  check: FailingCheck;
  isDetailed: boolean;
}

async function lookUp(
  deps: AppDependencies,
  github: GitHub,
  { state, target, pull, check, isDetailed }: Question,
): Promise<FailedCheck> {
  const { name, url, job, notes, ended_at: failed_at } = check;
  if (!isDetailed) return { name, url, failed_at, signature: '', base: { result: 'unknown' } };
  const ended = job === undefined ? undefined : await github.failedJob(job);
  const told = ended?.log === undefined ? notes.join('\n') : readLog(ended.log);
  // The journal, the comment and the prompt get it.
  const log = await redactFor(deps, state.run, told);
  const without = `${WORKFLOWS}${target.workflow}`;
  const past = await github.pastResults(pull.base, { name, without });
  return {
    ...{ name, url, failed_at, step: ended?.step, log: log || undefined },
    ...errorIn(log),
    base: onBase(past),
  };
}

/** The newest result counts. Commits on which the check did not run are not among them. */
function onBase(past: readonly PastResult[]): FailedCheck['base'] {
  const [newest] = past;
  if (!newest) return { result: 'unknown' };
  if (newest.result === 'passed') return { result: 'passes' };
  const end = past.findIndex(({ result }) => result === 'passed');
  const first = past.slice(0, end < 0 ? past.length : end).at(-1);
  const isDated = first !== undefined && !Number.isNaN(Date.parse(first.at));
  return {
    result: 'fails',
    since: isDated ? { sha: first.sha, at: new Date(first.at).toISOString() } : undefined,
  };
}
