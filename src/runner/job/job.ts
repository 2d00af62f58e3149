import { randomBytes } from 'node:crypto';
import type { Agent } from '../../agents/agent.ts';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { Brief } from '../../core/contracts/brief.ts';
import { type Claim, PROTOCOL } from '../../core/contracts/envelope.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import type { Link } from '../../core/ports/ports.ts';
import type { BaseMerge } from '../../core/work/base-merge.ts';
import type { SetAside } from '../../core/work/change.ts';
import type { AgentConfig } from '../agent/agent-config.ts';
import type { Box } from '../box/box.ts';
import { type Carried, loadCheckpoint } from '../checkpoint/checkpoint.ts';
import type { StrayPlace } from '../output/agent-output.ts';
import { createUsageMeter, type UsageMeter } from '../output/usage-meter.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { createMeter, type Meter } from './meter.ts';
import type { StateDir } from './state-dir.ts';
import { createStopwatch, type Stopwatch } from './stopwatch.ts';

export type WorkOrders = Extract<Orders, { do: 'work' }>;

export interface JobSettings {
  /** How long a frozen agent waits for an answer before the job parks. */
  holdMs: number;
  /** Working time limit of one turn. */
  turnMs: number;
  /** Time limit of each check. */
  checkMs: number;
  /** Working time limit of this job. A successor continues after it (K-7). */
  jobMs?: number;
  tickMs: number;
  /** Between SIGTERM and SIGKILL. */
  graceMs: number;
  junit: string[];
  useCgroup: boolean;
  /** The one Actions secret with all values for the agent. Left out: the workflow passes each secret by its name. */
  sharedSecret?: SharedSecret;
}

export interface SharedSecret {
  name: string;
  /** The lines that were not taken, and why. No values. */
  problems: readonly string[];
}

/** Live output for a terminal or a log. Only the journal is the record of a run. */
export type JobProgress =
  | { type: 'agent'; event: AgentEvent }
  | { type: 'stderr'; text: string }
  /** A check that has started. */
  | { type: 'check'; command: string }
  /** The cost of the run so far. */
  | { type: 'cost'; usd: number | null }
  | { type: 'problem'; text: string };

export interface JobOptions {
  brief: Brief;
  link: Link;
  workspace: Workspace;
  stateDir: StateDir;
  /** Outside the worktree. It has the checkpoint and the files set aside. */
  runDir: string;
  aside: SetAside[];
  agentConfig: AgentConfig;
  /** The last snapshot of the worktree. It is restored if the agent deletes the worktree. */
  lastTree?: Tree;
  /** In an update: the merge that is in the worktree. */
  merge?: JobMerge;
  agentFor(name: string): Agent | undefined;
  /** The conversation to resume, by agent. */
  sessions?: Record<string, string>;
  /** The command that answers an agent's hook. */
  hookFor?(agent: string): string[];
  agentEnv: Record<string, string>;
  checkEnv: Record<string, string>;
  /** The agent runs in it. */
  box: Box;
  /** Left out: the checks run in the agent's. */
  checkBox?: Box;
  settings: JobSettings;
  now(): Date;
  /** Aborted when the job must save its work and end. */
  parking: AbortSignal;
  onProgress(progress: JobProgress): void;
}

/** V-6: the base, merged into the pull request. */
export interface JobMerge {
  parts: BaseMerge;
  conflicts: string[];
  /** Files of the pull request that the base has deleted. */
  gone: ReadonlySet<string>;
}

/** A running job: its options and the state that its turns share. */
export interface Job extends JobOptions {
  checkBox: Box;
  meter: Meter;
  usage: UsageMeter;
  stopwatch: Stopwatch;
  /** The lines of the agent's changes at the end of the previous turn. */
  lines: { added: number; removed: number };
  /** References of Actions secrets that were named before this job began. */
  secretsAtStart?: ReadonlySet<string>;
  /** The turn in which a conversation was lost. Once per turn is no failure. */
  sessionLostIn?: number;
  /** Conversations whose last start ended because they were too long for the model. */
  fullSessions: Set<string>;
  /** In a round: remarks whose suggestion this job has put into the worktree. */
  applied?: Set<string>;
  /** No turn starts before this moment, in milliseconds. */
  notBefore?: number;
  /** Where help blocks stood that are no call for help. The agent is told with its next start. */
  strayHelp: Set<StrayPlace>;
  /** Agents that said or did something in this job, so they can start here. */
  activeAgents: Set<string>;
  /** Fences the text of others in every prompt of the run. */
  mark: string;
  /** By agent, the facts that its conversation has. */
  told: NonNullable<Carried['told']>;
  /** The agent's own notes for a successor. */
  handoffPath?: string;
  /** Reports to the desk, which does not trust it, and returns its orders. */
  claim<Type extends Claim['type']>(
    type: Type,
    data: Extract<Claim, { type: Type }>['data'],
  ): Promise<Orders>;
  /** Applies limits and answers. An answer that comes again is not applied twice. */
  applyOrders(orders: WorkOrders): void;
}

export function createJob(options: JobOptions): Job {
  const { brief, link } = options;
  const saved = loadCheckpoint(options.runDir);
  const {
    stray_help = [],
    full_sessions,
    not_before,
    told = {},
    mark = randomBytes(8).toString('hex'),
  } = saved;
  const usage = resumeUsage(options, saved);
  const meter = createMeter(brief, () => usage.total());
  for (const guard of meter.resetGuards) {
    const text = `What ${guard} had counted is not understood, as it may be of another version: it counts from the beginning.`;
    options.onProgress({ type: 'problem', text });
  }
  const stopwatch = createStopwatch(() => options.now().getTime(), brief.active_ms);
  const applied = new Set<string>();
  let seq = 0;
  let limitsRev = brief.limits_rev;
  let turn = brief.turn;
  return {
    ...options,
    checkBox: options.checkBox ?? options.box,
    activeAgents: new Set(),
    usage,
    meter,
    stopwatch,
    strayHelp: new Set(stray_help),
    mark,
    told,
    fullSessions: new Set(full_sessions),
    notBefore: not_before === undefined ? undefined : Date.parse(not_before),
    lines: brief.lines ?? { added: brief.changes.added, removed: brief.changes.removed },
    claim(type, data) {
      seq += 1;
      return link.report({
        protocol: PROTOCOL,
        run: brief.run,
        fence: brief.job,
        seq,
        turn,
        at: options.now().toISOString(),
        active_ms: stopwatch.ms(),
        limits_rev: limitsRev,
        type,
        data,
      });
    },
    applyOrders(orders) {
      turn = orders.turn;
      limitsRev = orders.limits_rev;
      meter.setLimits(orders.limits);
      for (const answer of orders.answers) {
        if (applied.has(answer.id)) continue;
        applied.add(answer.id);
        if (answer.agent_changed) meter.observe({ type: 'agent_changed' });
        if (answer.rearm.length > 0) meter.observe({ type: 'rearmed', guards: answer.rearm });
      }
    },
  };
}

/** A resumed conversation without figures of its own is assumed to have used as much as the run. */
function resumeUsage({ sessions = {}, brief }: JobOptions, saved: Carried): UsageMeter {
  const { usage = brief.usage, counted } = saved;
  if (counted) return createUsageMeter(usage, counted);
  const used = { ...usage, cost_usd: usage.cost_usd ?? 0 };
  return createUsageMeter(
    usage,
    Object.fromEntries(Object.values(sessions).map((session) => [session, used])),
  );
}

/** The share of the job's time that is for working. The rest is for saving the work for a successor. */
const WORKING_SHARE = 0.9;

export function isNearTimeLimit({ settings, stopwatch, brief }: Job): boolean {
  return settings.jobMs !== undefined && stopwatch.ms() - brief.active_ms >= settings.jobMs * WORKING_SHARE;
}
