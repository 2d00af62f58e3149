import type { Agent } from '../../../agents/agent.ts';
import type { AgentEvent } from '../../../core/contracts/agent/agent-event.ts';
import { saveCheckpoint } from '../../checkpoint/checkpoint.ts';
import { readInside } from '../../disk/read-inside.ts';
import type { Job } from '../job.ts';

const MAX_FILE_BYTES = 1024 * 1024;

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

export function countUsage(job: Job, agent: string, turn: number, event: UsageEvent): void {
  const fresh = job.usage.add(event, job.sessions?.[agent]);
  job.meter.observe({ type: 'usage', turn, ...fresh });
  job.onProgress({ type: 'cost', usd: job.usage.total().cost_usd });
}

/** For the next job: the desk may not know all of it, and some agents count a conversation from its start. */
export function saveUsage(job: Job): void {
  saveCheckpoint(job, { usage: job.usage.total(), counted: job.usage.counted() });
}

/** Counts the usage of an agent that writes it to a file when it ends. */
export async function countUsageFile(job: Job, agent: Agent, turn: number, home: string): Promise<void> {
  const { usageFile } = agent;
  if (!usageFile) return;
  const file = await readInside(home, usageFile.path, MAX_FILE_BYTES);
  const event = file.ok ? usageFile.read(file.bytes.toString('utf8')) : undefined;
  if (event?.type === 'usage') countUsage(job, agent.name, turn, event);
}
