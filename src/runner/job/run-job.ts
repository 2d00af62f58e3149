import { lstatSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { isStopCertain } from '../../core/contracts/isolation.ts';
import { totals } from '../../core/work/change.ts';
import { saveCheckpoint } from '../checkpoint/checkpoint.ts';
import { describeMissingProgram, findMissingPrograms } from '../checks/find-missing-programs.ts';
import { revertAfterCrash } from '../workspace/control-files.ts';
import type { Tree } from '../workspace/tree-store.ts';
import { WorktreeGoneError } from '../workspace/worktree-gone.ts';
import { checkSecrets, secretsIn } from './actions-secrets.ts';
import { applyReviewers } from './apply-suggestions.ts';
import { CHECKS_OUTSIDE } from './check-box.ts';
import { endTurn, readReport, verify } from './end-turn.ts';
import { createJob, isNearTimeLimit, type Job, type JobOptions, type WorkOrders } from './job.ts';
import { measureChanges } from './measure-changes.ts';
import { needsNoAgent, playMerge } from './merge-round.ts';
import { waitOutRateLimit } from './rate-limit.ts';
import { repairStateDir } from './repair-state-dir.ts';
import {
  controlFilesDir,
  guardControlFiles,
  reportReverted,
  restoreRunConfig,
} from './revert-control-files.ts';
import { playTurn } from './turn/play-turn.ts';
import { removeInputs } from './turn/turn-files.ts';
import { waitForOrders } from './wait-for-answer.ts';

export type JobEnd = 'finished' | 'parked' | 'handed_over';

/** Works until the run is over, nobody answers within the hold time, or the job's time is up. */
export async function runJob(options: JobOptions): Promise<JobEnd> {
  const job = createJob(options);
  saveCheckpoint(job, { mark: job.mark });
  if (job.lastTree) await restoreIfGone(job, job.lastTree);
  // A killed job may have left all of these.
  await reportReverted(job, revertAfterCrash(controlFilesDir(job)));
  await restoreRunConfig(job);
  await removeInputs(job);
  if (job.checkBox !== job.box) job.onProgress({ type: 'problem', text: CHECKS_OUTSIDE });
  const begun = await job.claim('job_started', { isolation: job.box.level });
  job.secretsAtStart = new Set(secretsIn(begun).map(({ ref }) => ref));
  if (!job.brief.baseline) await recordBaseline(job);
  for (;;) {
    let orders = await job.link.orders();
    if (orders.do === 'wait') orders = await waitForOrders(job);
    if (orders.do === 'stop') return 'finished';
    if (orders.do !== 'work' || job.parking.aborted) return park(job);
    // Meanwhile the orders may have changed.
    if (await waitOutRateLimit(job)) continue;
    const end = await workOneTurn(job, orders);
    if (end) return end;
  }
}

/** Runs the checks before any change, so that tests that already fail are not blamed on the agent. */
async function recordBaseline(job: Job): Promise<void> {
  await reportMissingPrograms(job);
  job.stopwatch.start();
  const verification = await verify(job);
  job.stopwatch.stop();
  if (job.parking.aborted) return;
  job.meter.observe({ type: 'baseline', at: verification.at, verification });
  saveCheckpoint(job, { tree: await job.workspace.snapshot() });
  await job.claim('baseline_recorded', { verification, measured: job.meter.measured() });
}

/** A box may hide a program that the machine has. Said before turn 1, because no turn could help. */
async function reportMissingPrograms({
  checkBox: { level, enter },
  brief,
  checkEnv,
  workspace,
  onProgress,
}: Job): Promise<void> {
  if (!isStopCertain(level)) return;
  const where = { cwd: workspace.worktree, env: checkEnv, enter };
  for (const missing of await findMissingPrograms(brief.checks, where))
    onProgress({ type: 'problem', text: describeMissingProgram(missing) });
}

async function workOneTurn(job: Job, orders: WorkOrders): Promise<JobEnd | undefined> {
  job.applyOrders(orders);
  const secrets = await checkSecrets(job, orders);
  if (secrets) return secrets === 'next_job' ? park(job) : undefined;
  job.checkEnv = withoutNames(job.checkEnv, new Set(secretsIn(orders).map(({ name }) => name)));
  await applyReviewers(job, orders);
  const tree = await job.workspace.snapshot();
  job.lastTree = tree;
  saveCheckpoint(job, { tree });
  const lines = totals(await job.workspace.changes());
  const start = { activeMs: job.stopwatch.ms(), costUsd: job.usage.total().cost_usd, tree, lines };
  const play = needsNoAgent(job, orders) ? playMerge : playTurn;
  const outcome = await play(job, orders).catch((error: unknown) => {
    if (error instanceof WorktreeGoneError) {
      return { kind: 'ended' as const, exit: 'the agent deleted the worktree', failed: true };
    }
    throw error;
  });
  switch (outcome.kind) {
    case 'again':
      return undefined;
    case 'stop':
      return 'finished';
    case 'park':
      return park(job);
    case 'hand_over':
      return handOver(job);
    case 'ended': {
      await restoreIfGone(job, tree);
      if (job.parking.aborted) return park(job);
      const next = await guardControlFiles(job, orders, () => endTurn(job, orders, start, outcome));
      if (!next) return park(job);
      return next.do === 'work' && isNearTimeLimit(job) ? handOver(job) : undefined;
    }
  }
}

/** Secrets given to the agent are withheld from the checks, which run the agent's code. */
function withoutNames(env: Record<string, string>, names: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** An agent may delete the directory it works in. The trusted git directory has the work up to this turn. */
async function restoreIfGone(job: Job, tree: Tree): Promise<void> {
  const { workspace, stateDir } = job;
  const stats = lstatSync(workspace.worktree, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  if (stats) await unlink(workspace.worktree);
  const missing = await workspace.restoreTree(tree);
  await repairStateDir(workspace.worktree, stateDir);
  const text = [
    'The worktree was deleted. It is back as it was when the turn began, without what git ignores and without its .git.',
    ...(missing.length > 0 ? [`Not restored: ${missing.slice(0, 10).join(', ')}`] : []),
  ].join(' ');
  job.onProgress({ type: 'problem', text });
}

async function park(job: Job): Promise<JobEnd> {
  await restoreIfGone(job, (job.lastTree ?? job.workspace.base()) as Tree);
  saveCheckpoint(job, { tree: await job.workspace.snapshot() });
  await job.claim('parked', { guards: job.meter.states(), ...(await soFar(job)) });
  return 'parked';
}

/** K-7: the run and its counters continue, and the successor gets the handoff document. */
async function handOver(job: Job): Promise<JobEnd> {
  await restoreIfGone(job, (job.lastTree ?? job.workspace.base()) as Tree);
  // An aborted turn may have written its handoff notes.
  const read = await readReport(job);
  job.handoffPath = read?.report?.partial_progress?.handoff_path ?? job.handoffPath;
  saveCheckpoint(job, { tree: await job.workspace.snapshot() });
  await job.claim('handed_over', {
    guards: job.meter.states(),
    handoff_path: job.handoffPath,
    ...(await soFar(job)),
  });
  return 'handed_over';
}

/** An aborted turn has also used tokens and changed files. */
async function soFar(job: Job) {
  return { usage: job.usage.total(), changes: await measureChanges(job) };
}
