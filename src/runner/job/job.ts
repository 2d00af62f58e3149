import type { Agent } from '../../agents/agent.ts';
import type { AgentEvent } from '../../core/contracts/agent-event.ts';
import type { Brief } from '../../core/contracts/brief.ts';
import { type Claim, PROTOCOL } from '../../core/contracts/envelope.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import type { Link } from '../../core/ports/ports.ts';
import type { SetAside } from '../../core/work/change.ts';
import type { AgentConfig } from '../agent/agent-config.ts';
import { loadCheckpoint } from '../checkpoint/checkpoint.ts';
import { createUsageMeter, type UsageMeter } from '../output/usage-meter.ts';
import type { Tree } from '../workspace/tree-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { createMeter, type Meter } from './meter.ts';
import type { StateDir } from './state-dir.ts';
import { createStopwatch, type Stopwatch } from './stopwatch.ts';

export type WorkOrders = Extract<Orders, { do: 'work' }>;

export interface JobSettings {
  /** How long a frozen agent is held for an answer before the job parks. */
  holdMs: number;
  /** Working time of one turn. */
  turnMs: number;
  /** Of each verify command. */
  checkMs: number;
  /** Working time of this job, after which a successor goes on (K-7). */
  jobMs?: number;
  tickMs: number;
  /** Between SIGTERM and SIGKILL. */
  graceMs: number;
  junit: string[];
  useCgroup: boolean;
}

/** What a job tells whoever watches it live. None of it is truth: that is in the journal. */
export type Progress =
  | { type: 'agent'; event: AgentEvent }
  | { type: 'stderr'; text: string }
  | { type: 'phase'; text: string }
  | { type: 'problem'; text: string };

export interface JobParts {
  brief: Brief;
  link: Link;
  workspace: Workspace;
  stateDir: StateDir;
  /** Outside the worktree: checkpoint and set-aside files. */
  runDir: string;
  aside: SetAside[];
  agentConfig: AgentConfig;
  /** The worktree when it was last known to be whole. */
  lastTree?: Tree;
  agentFor(name: string): Agent | undefined;
  /** Conversations that go on, by agent. */
  sessions?: Record<string, string>;
  /** Program and arguments that answer an agent's hook. */
  hookFor?(agent: string): string[];
  agentEnv: Record<string, string>;
  checkEnv: Record<string, string>;
  settings: JobSettings;
  now(): Date;
  /** Aborts when the job shall save its work and end. */
  parking: AbortSignal;
  onProgress(progress: Progress): void;
}

/** One job at work: what its parts share. */
export interface Job extends JobParts {
  meter: Meter;
  usage: UsageMeter;
  stopwatch: Stopwatch;
  /** Lines the agent's changes had at the end of the turn before. */
  lines: { added: number; removed: number };
  /** References of Actions secrets that were named before this job began. */
  secretsAtStart?: ReadonlySet<string>;
  /** The turn in which a conversation was found gone: once is no failure. */
  sessionLostIn?: number;
  /** The agent's own notes for a successor. */
  handoffPath?: string;
  say<Type extends Claim['type']>(type: Type, data: Extract<Claim, { type: Type }>['data']): Promise<Orders>;
  /** Takes over limits and answers, each answer once. */
  take(orders: WorkOrders): void;
}

export function createJob(parts: JobParts): Job {
  const { brief, link } = parts;
  const usage = takeUpUsage(parts);
  const meter = createMeter(brief, () => usage.total().cost_usd);
  for (const guard of meter.unreadable) {
    const text = `What ${guard} had counted is not understood, as it may be of another version: it counts from the beginning.`;
    parts.onProgress({ type: 'problem', text });
  }
  const stopwatch = createStopwatch(() => parts.now().getTime(), brief.active_ms);
  const taken = new Set<string>();
  let seq = 0;
  let limitsRev = brief.limits_rev;
  let turn = brief.turn;
  return {
    ...parts,
    usage,
    meter,
    stopwatch,
    lines: brief.lines ?? { added: brief.changes.added, removed: brief.changes.removed },
    say(type, data) {
      seq += 1;
      return link.report({
        protocol: PROTOCOL,
        run: brief.run,
        fence: brief.job,
        seq,
        turn,
        at: parts.now().toISOString(),
        active_ms: stopwatch.ms(),
        limits_rev: limitsRev,
        type,
        data,
      });
    },
    take(orders) {
      turn = orders.turn;
      limitsRev = orders.limits_rev;
      meter.setLimits(orders.limits);
      for (const answer of orders.answers) {
        if (taken.has(answer.id)) continue;
        taken.add(answer.id);
        if (answer.agent_changed) meter.observe({ type: 'agent_changed' });
        if (answer.rearm.length > 0) meter.observe({ type: 'rearmed', guards: answer.rearm });
      }
    },
  };
}

/** A conversation whose own figures were not brought along has used what the run has. */
function takeUpUsage({ runDir, sessions = {}, brief }: JobParts): UsageMeter {
  const { usage = brief.usage, counted } = loadCheckpoint(runDir);
  if (counted) return createUsageMeter(usage, counted);
  const used = { ...usage, cost_usd: usage.cost_usd ?? 0 };
  return createUsageMeter(
    usage,
    Object.fromEntries(Object.values(sessions).map((session) => [session, used])),
  );
}

/** A successor needs time to save the work: this share of the job's time is for working. */
const WORKING_SHARE = 0.9;

export function isNearTimeLimit({ settings, stopwatch, brief }: Job): boolean {
  return settings.jobMs !== undefined && stopwatch.ms() - brief.active_ms >= settings.jobMs * WORKING_SHARE;
}
