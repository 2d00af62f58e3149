import type { Agent } from '../agents/agent.ts';
import type { Changeset } from '../core/work/changeset.ts';
import type { AgentConfig } from '../runner/agent/agent-config.ts';
import { runSessionCommand } from '../runner/agent/session-command.ts';
import { loadCheckpoint } from '../runner/checkpoint/checkpoint.ts';
import { CheckpointError, packCheckpoint } from '../runner/checkpoint/pack-checkpoint.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';
import type { Workspace } from '../runner/workspace/workspace.ts';
import type { BuildParts } from './build-job-input.ts';

const EXPORT_MS = 60_000;
/** Actions gives a cancelled step ten seconds in all. */
const LAST_EXPORT_MS = 3_000;

interface Conversation {
  agent: Agent;
  session: string;
  home: string;
  agentConfig: AgentConfig;
  workspace: Workspace;
}

/** What the next job needs beside the journal, for the agent that is at work now. */
export async function saveJobCheckpoint(
  parts: BuildParts,
  work: Omit<Conversation, 'agent' | 'session'> & { changeset: Changeset; agent: Agent | undefined },
): Promise<void> {
  const { link, log, worktree, runDir } = parts;
  const { changeset, home, agent } = work;
  const { sessions = {}, aside, usage, counted } = loadCheckpoint(runDir);
  const session = agent && sessions[agent.name];
  const carried = agent && session && (await exportConversation(parts, { ...work, agent, session }));
  const saved = {
    run: link.claimed.brief.run,
    worktree,
    home,
    changeset,
    aside,
    conversation: carried ? { agent, session } : undefined,
    usage,
    counted,
  };
  await link.putBlob('checkpoint', await packWithin(saved, log));
}

/** For agents whose conversation is in no file that could be carried. False: it stays behind. */
async function exportConversation(
  { log, worktree, env, parking }: BuildParts,
  { agent, session, home, agentConfig, workspace }: Conversation,
): Promise<boolean> {
  const command = agent.exportSession?.({ session, home });
  if (!command) return true;
  const timeoutMs = parking.aborted ? LAST_EXPORT_MS : EXPORT_MS;
  let problem: string | undefined;
  try {
    // It is a program of the agent: it obeys the same files.
    await agentConfig.place(agent, await workspace.snapshot(), await workspace.changedPaths());
    problem = await runSessionCommand(command, { agent, worktree, home, env, timeoutMs });
    for (const text of await agentConfig.bringBack()) log.annotate('warning', text);
  } catch (error) {
    // The work itself is saved: what the agent did to its worktree must not keep the job from parking.
    problem = (error as Error).message;
  }
  if (!problem) return true;
  const words = `\`${command.argv.slice(0, 2).join(' ')}\`: ${problem}`;
  log.annotate('warning', `The agent begins a new conversation when the run goes on: ${words}.`);
  return false;
}

/** A conversation that is too long to carry is worth less than the rest. */
async function packWithin(saved: Parameters<typeof packCheckpoint>[0], log: ActionLog): Promise<Uint8Array> {
  try {
    return await packCheckpoint(saved);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    log.annotate('warning', `${error.message} The agent begins a new conversation when the run goes on.`);
    return packCheckpoint({ ...saved, conversation: undefined, aside: [] });
  }
}
