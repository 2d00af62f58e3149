import { lstatSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { saveCheckpoint } from '../checkpoint/checkpoint.ts';
import { revertAfterCrash } from '../workspace/control-files.ts';
import type { Tree } from '../workspace/tree-store.ts';
import { WorktreeGoneError } from '../workspace/worktree-gone.ts';
import { mendSecrets, secretsIn } from './actions-secrets.ts';
import { endTurn, readReport, verify } from './end-turn.ts';
import { createJob, isNearTimeLimit, type Job, type JobParts, type WorkOrders } from './job.ts';
import { measureChanges } from './measure-changes.ts';
import { playTurn } from './play-turn.ts';
import { keepStateDir } from './repair-state-dir.ts';
import {
  controlFilesDir,
  guardControlFiles,
  reportReverted,
  restoreRunConfig,
} from './revert-control-files.ts';
import { removeInputs } from './turn-files.ts';

export type JobEnd = 'finished' | 'parked' | 'handed_over';

/** Works until the run is over, a person is needed for longer than the hold, or the job's time is up. */
export async function runJob(parts: JobParts): Promise<JobEnd> {
  const job = createJob(parts);
  if (job.lastTree) await restoreIfGone(job, job.lastTree);
  // A job that was killed may have left all of these.
  await reportReverted(job, revertAfterCrash(controlFilesDir(job)));
  await restoreRunConfig(job);
  await removeInputs(job);
  const begun = await job.say('job_started', {});
  job.secretsAtStart = new Set(secretsIn(begun).map(({ ref }) => ref));
  if (!job.brief.baseline) await recordBaseline(job);
  for (;;) {
    let orders = await job.link.orders();
    if (orders.do === 'wait') orders = await waitBetweenTurns(job);
    if (orders.do === 'stop') return 'finished';
    if (orders.do !== 'work' || job.parking.aborted) return park(job);
    const end = await workOneTurn(job, orders);
    if (end) return end;
  }
}

/** The checks before any change: what failed already is not the agent's doing. */
async function recordBaseline(job: Job): Promise<void> {
  job.onProgress({ type: 'phase', text: 'the checks before any change' });
  job.stopwatch.start();
  const verification = await verify(job);
  job.stopwatch.stop();
  if (job.parking.aborted) return;
  job.meter.observe({ type: 'baseline', at: verification.at, verification });
  saveCheckpoint(job, { tree: await job.workspace.snapshot() });
  await job.say('baseline_recorded', { verification, measured: job.meter.measured() });
}

function waitBetweenTurns(job: Job) {
  const { settings, parking, link } = job;
  const signals = [parking];
  if (Number.isFinite(settings.holdMs)) signals.push(AbortSignal.timeout(settings.holdMs));
  return link.ordersAfterWait(AbortSignal.any(signals));
}

async function workOneTurn(job: Job, orders: WorkOrders): Promise<JobEnd | undefined> {
  job.take(orders);
  const mended = await mendSecrets(job, orders);
  if (mended) return mended === 'anew' ? park(job) : undefined;
  job.checkEnv = withoutNames(job.checkEnv, new Set(secretsIn(orders).map(({ name }) => name)));
  const tree = await job.workspace.snapshot();
  job.lastTree = tree;
  saveCheckpoint(job, { tree });
  const start = { activeMs: job.stopwatch.ms(), costUsd: job.usage.total().cost_usd, tree };
  const outcome = await playTurn(job, orders).catch((error: unknown) => {
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

/** What a person gave for the agent is not for the checks, which run its code. */
function withoutNames(env: Record<string, string>, names: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** An agent may delete the very directory it works in: the work up to this turn is in the trusted git directory. */
async function restoreIfGone(job: Job, tree: Tree): Promise<void> {
  const { workspace, stateDir } = job;
  const stats = lstatSync(workspace.worktree, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  if (stats) await unlink(workspace.worktree);
  const missing = await workspace.restoreTree(tree);
  await keepStateDir(workspace.worktree, stateDir);
  const text = [
    'The worktree was deleted. It is back as it was when the turn began, without what git ignores and without its .git.',
    ...(missing.length > 0 ? [`Not restored: ${missing.slice(0, 10).join(', ')}`] : []),
  ].join(' ');
  job.onProgress({ type: 'problem', text });
}

async function park(job: Job): Promise<JobEnd> {
  await restoreIfGone(job, (job.lastTree ?? job.workspace.base()) as Tree);
  saveCheckpoint(job, { tree: await job.workspace.snapshot() });
  await job.say('parked', { guards: job.meter.states(), ...(await soFar(job)) });
  return 'parked';
}

/** K-7: same run, counters kept; the successor is given the handoff document. */
async function handOver(job: Job): Promise<JobEnd> {
  await restoreIfGone(job, (job.lastTree ?? job.workspace.base()) as Tree);
  // A turn that was cut short may have left its notes all the same.
  const read = await readReport(job);
  job.handoffPath = read?.report?.partial_progress?.handoff_path ?? job.handoffPath;
  saveCheckpoint(job, { tree: await job.workspace.snapshot() });
  await job.say('handed_over', {
    guards: job.meter.states(),
    handoff_path: job.handoffPath,
    ...(await soFar(job)),
  });
  return 'handed_over';
}

/** A turn that was cut short has used and changed something all the same. */
async function soFar(job: Job) {
  return { usage: job.usage.total(), changes: await measureChanges(job) };
}
