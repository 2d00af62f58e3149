import type { Agent } from '../agents/agent.ts';
import type { Changeset } from '../core/work/changeset.ts';
import type { AgentConfig } from '../runner/agent/agent-config.ts';
import { runSessionCommand } from '../runner/agent/session-command.ts';
import { loadCheckpoint } from '../runner/checkpoint/checkpoint.ts';
import { CheckpointError, packCheckpoint } from '../runner/checkpoint/pack-checkpoint.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';
import type { Workspace } from '../runner/workspace/workspace.ts';
import type { BuildJobInput } from './build-job-input.ts';

const EXPORT_MS = 60_000;
/** Actions gives a cancelled step ten seconds in total. */
const LAST_EXPORT_MS = 3_000;

interface Conversation {
  agent: Agent;
  session: string;
  home: string;
  agentConfig: AgentConfig;
  workspace: Workspace;
}

/** Saves what the next job needs beside the journal, for the agent that is working now. */
export async function saveJobCheckpoint(
  input: BuildJobInput,
  work: Omit<Conversation, 'agent' | 'session'> & { changeset: Changeset; agent: Agent | undefined },
): Promise<void> {
  const { link, log, worktree, runDir } = input;
  const { changeset, home, agent } = work;
  const { sessions = {}, aside, tree: _local, ...carried } = loadCheckpoint(runDir);
  const session = agent && sessions[agent.name];
  const hasConversation = agent && session && (await exportConversation(input, { ...work, agent, session }));
  const saved = {
    run: link.claimed.brief.run,
    worktree,
    home,
    changeset,
    aside,
    conversation: hasConversation ? { agent, session } : undefined,
    ...carried,
  };
  await link.putBlob('checkpoint', await packWithin(saved, log));
}

/** Exports the conversation of an agent that keeps it in a database. False means that the conversation is lost. */
async function exportConversation(
  { log, worktree, env, parking, box }: BuildJobInput,
  { agent, session, home, agentConfig, workspace }: Conversation,
): Promise<boolean> {
  const command = agent.exportSession?.({ session, home });
  if (!command) return true;
  const timeoutMs = parking.aborted ? LAST_EXPORT_MS : EXPORT_MS;
  let problem: string | undefined;
  try {
    // The export is a program of the agent, so it obeys the same configuration files.
    await agentConfig.place(agent, await workspace.snapshot(), await workspace.changedPaths());
    problem = await runSessionCommand(command, { agent, worktree, home, env, timeoutMs, enter: box.enter });
    for (const text of await agentConfig.bringBack()) log.annotate('warning', text);
  } catch (error) {
    // The work itself is saved, so a broken worktree must not keep the job from parking.
    problem = (error as Error).message;
  }
  if (!problem) return true;
  const words = `\`${command.argv.slice(0, 2).join(' ')}\`: ${problem}`;
  log.annotate('warning', `The agent starts a new conversation when the run continues: ${words}.`);
  return false;
}

/** Drops the conversation if it makes the checkpoint too large, because the rest is worth more. */
async function packWithin(saved: Parameters<typeof packCheckpoint>[0], log: ActionLog): Promise<Uint8Array> {
  try {
    return await packCheckpoint(saved);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    log.annotate('warning', `${error.message} The agent starts a new conversation when the run continues.`);
    return packCheckpoint({ ...saved, conversation: undefined, aside: [] });
  }
}
