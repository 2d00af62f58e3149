import { type ReadReport, readPlayerReport } from '../../core/contracts/agent/player-report.ts';
import { isStopCertain } from '../../core/contracts/isolation.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import type { TurnRecord } from '../../core/contracts/run-event.ts';
import type { Verification } from '../../core/contracts/verification.ts';
import { withoutSkipped } from '../../core/decide/completion.ts';
import { AGENT_ITSELF } from '../../core/errors/agent-itself.ts';
import { normalizeError, resultSignature } from '../../core/errors/error-signature.ts';
import { totals } from '../../core/work/change.ts';
import { unstartable } from '../agent/agent-end.ts';
import { saveCheckpoint } from '../checkpoint/checkpoint.ts';
import { runVerification } from '../checks/verify.ts';
import { tellingLine } from '../output/last-words.ts';
import { withoutKnown } from '../output/read-action.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Job, WorkOrders } from './job.ts';
import { checkConflicts } from './merge-round.ts';
import { readAgentFile } from './state-dir.ts';
import type { AgentEnding } from './turn/live-turn.ts';

const MAX_REVERTED_NAMED = 100;

/** Reads the agent's report, runs the checks, measures the changes, and makes one claim of it. Undefined if parked meanwhile. */
export async function endTurn(
  job: Job,
  orders: WorkOrders,
  start: { activeMs: number; costUsd: number | null; tree: Tree; lines: Job['lines'] },
  end: AgentEnding,
): Promise<Orders | undefined> {
  const { meter, workspace, stopwatch, now } = job;
  const { turn, kind } = orders;
  if (kind === 'debug') await workspace.restoreTree(start.tree);
  const read = await readReport(job);
  const changed = (await workspace.snapshot()) !== start.tree;
  // Not the difference of two totals, which is 0 for a turn that rewrites a line of an earlier turn.
  const rewritten = totals(await workspace.changes(start.tree));
  // Another turn, and the checks before it, would only repeat this.
  const couldNotStart = isUnableToStart(job, orders, end) && !read && !changed;
  if (couldNotStart) {
    const problem = `${tellingLine(end.words ?? '')} (${end.exit})`;
    meter.observe(unstartable(orders.agent, problem, turn, now().toISOString()));
  } else noteExit(job, turn, end, read?.report !== undefined && changed);
  if (read?.report) {
    meter.observe({
      type: 'report_received',
      at: now().toISOString(),
      turn,
      read: { ...read, report: read.report },
    });
  }
  job.handoffPath = read?.report?.partial_progress?.handoff_path ?? job.handoffPath;
  stopwatch.start();
  const verification = kind === 'debug' || couldNotStart ? undefined : await verify(job);
  stopwatch.stop();
  // Aborted checks prove nothing, so the turn is repeated when the run resumes.
  if (job.parking.aborted && verification?.ok !== true) return undefined;
  const counted = verification && withoutSkipped(verification, orders.known_issues);
  const signature = counted && resultSignature(summarize(counted));
  meter.observe({ type: 'clock', active_ms: stopwatch.ms() });
  if (counted && signature) {
    meter.observe({ type: 'verified', at: counted.at, turn, verification: counted, signature });
  }
  const title = read?.report?.summary;
  meter.observe({
    type: 'turn_ended',
    at: now().toISOString(),
    turn,
    counted: kind === 'normal',
    title: title ?? end.exit,
  });
  const changes = await workspace.changes();
  const { added, removed } = totals(changes);
  const usage = job.usage.total();
  const paths = changes.map((change) => change.path);
  const reverted = job.aside.map(({ path }) => path).filter((path) => !paths.includes(path));
  const record: TurnRecord = {
    turn,
    kind,
    agent: orders.agent,
    title,
    read,
    verification,
    signature,
    changes: { paths, added, removed },
    turn_ms: stopwatch.ms() - start.activeMs,
    turn_cost_usd: usage.cost_usd === null ? null : usage.cost_usd - (start.costUsd ?? 0),
    // A turn that was interrupted starts again with what it had changed before.
    turn_added: start.lines.added - job.lines.added + rewritten.added,
    turn_removed: start.lines.removed - job.lines.removed + rewritten.removed,
    exit: end.exit,
    ...(end.failed ? { failed: true, last_words: end.words } : {}),
    ...(reverted.length > 0 ? { put_back: reverted.slice(0, MAX_REVERTED_NAMED) } : {}),
  };
  job.lines = { added, removed };
  saveCheckpoint(job, { tree: await workspace.snapshot() });
  return job.claim('turn_ended', { record, usage, measured: meter.measured(end.exit) });
}

/** Runs the checks without model keys and inputs. Files they write do not count as the agent's. */
export async function verify(job: Job): Promise<Verification> {
  const { workspace, brief, settings, checkEnv, parking, now } = job;
  const before = await workspace.snapshot();
  const verification = await runVerification({
    commands: brief.checks,
    cwd: workspace.worktree,
    env: checkEnv,
    timeoutMs: settings.checkMs,
    junit: settings.junit,
    signal: parking,
    enter: job.checkBox.enter,
    hidesServices: isStopCertain(job.checkBox.level),
    now,
    onProgress: (command, phase) => {
      if (phase === 'started') job.onProgress({ type: 'check', command });
    },
  });
  await workspace.absorb(before, await workspace.snapshot());
  const checks = verification.checks.map((check) => ({
    ...check,
    errors: withoutKnown(check.errors, brief.known_errors),
  }));
  return checkConflicts(job, { ...verification, checks });
}

export async function readReport(job: Job): Promise<ReadReport | undefined> {
  const file = await readAgentFile(job.workspace.worktree, `${job.stateDir.path}/report.json`);
  if (file.ok) return readPlayerReport(file.text);
  if (file.problem === 'missing') return undefined;
  return {
    problems: [
      { field: 'report', value: file.detail, allowed: 'a JSON file of at most 1 MiB at $AUTOBUILD_REPORT' },
    ],
    raw: '',
    derived_from: [],
  };
}

/** A wrong key, an unknown option or a broken installation: the agent's first start here failed before it did anything. */
function isUnableToStart(job: Job, { agent }: WorkOrders, { failed, silent, words }: AgentEnding): boolean {
  return failed && silent === true && words !== undefined && !job.activeAgents.has(agent);
}

/** An agent that fails without a report counts as an error, so that a person sees how it ended. */
function noteExit(job: Job, turn: number, end: AgentEnding, worked: boolean): void {
  const { exit, words } = end;
  const failed = end.failed && !worked;
  const last = words && tellingLine(words);
  const message = `The agent ${inWords(exit)}${last ? `: ${last}` : ''}`;
  job.meter.observe({
    type: 'action_ended',
    at: job.now().toISOString(),
    turn,
    kind: 'other',
    title: end.failed && worked ? `agent: ${exit}, with a report` : `agent: ${exit}`,
    operation: AGENT_ITSELF,
    ok: !failed,
    refused: false,
    is_check: false,
    errors: failed ? [{ message, signature: normalizeError(message) }] : [],
  });
}

/** `exit 1` in a sentence about the agent. A reason why it could not start is a sentence already. */
function inWords(exit: string): string {
  if (/^exit\b/.test(exit)) return exit.replace('exit', 'exited with code');
  return exit.startsWith('killed') ? `was ${exit}` : `did not run: ${exit}`;
}

function summarize(verification: Verification) {
  const errors = verification.checks.flatMap((check) => check.errors);
  return { ok: verification.ok, tests: verification.tests, errors };
}
