import { mkdir } from 'node:fs/promises';
import type { Agent } from '../../agents/agent.ts';
import { agentHomeOf, copyMatching, removeTree, renewAgentHome } from '../agent/agent-home.ts';
import { runSessionCommand } from '../agent/session-command.ts';
import { lstatIfThere } from '../disk/inside-directory.ts';
import { forgetSession } from './agent-sessions.ts';
import type { Job } from './job.ts';

const COMMAND_MS = 120_000;

/** Creates the agent's home for its next start with nothing but its conversation. Returns the session to resume. */
export async function prepareHome(job: Job, agent: Agent): Promise<string | undefined> {
  const home = agentHomeOf(job.runDir);
  const session = job.sessions?.[agent.name];
  const exporting = session !== undefined && agent.exportSession !== undefined;
  const carrier = `${home}.export`;
  const target = {
    agent,
    worktree: job.workspace.worktree,
    env: job.agentEnv,
    timeoutMs: COMMAND_MS,
    enter: job.box.enter,
  };
  const unexported = exporting ? await exportConversation() : undefined;
  const unkept = await renew(exporting && !unexported ? importConversation : undefined);
  const problem = unexported ?? unkept;
  await removeTree(carrier);
  if (!problem) return session;
  job.onProgress({ type: 'problem', text: `The conversation of ${agent.name} is lost: ${problem}` });
  if (session !== undefined) forgetSession(job, agent.name, 'lost');
  return undefined;

  /** Exports from a home that has only the database, so that no other file of the old home is obeyed. */
  async function exportConversation(): Promise<string | undefined> {
    const command = agent.exportSession?.({ session: session ?? '', home: carrier });
    if (!command) return undefined;
    await removeTree(carrier);
    await mkdir(carrier, { recursive: true, mode: 0o700 });
    const old = `${home}.old`;
    const from = (await lstatIfThere(old)) ? old : home;
    const copied = await orProblem(copyMatching(from, carrier, agent.exportedFiles ?? []));
    return copied ?? runSessionCommand(command, { ...target, home: carrier });
  }

  async function importConversation(): Promise<string | undefined> {
    const copied = await orProblem(copyMatching(carrier, home, filesOf(agent, session)));
    const command = agent.importSession?.({ session: session ?? '', home });
    return copied ?? (command && runSessionCommand(command, { ...target, home }));
  }

  async function renew(fill?: () => Promise<string | undefined>): Promise<string | undefined> {
    const globs = Object.entries(job.sessions ?? {}).flatMap(([name, other]) => {
      const owner = job.agentFor(name);
      // This agent's conversation is imported. Those of other agents are kept, because they may be resumed later.
      if (!owner || (exporting && name === agent.name)) return [];
      return [...filesOf(owner, other), ...(owner.exportedFiles ?? [])];
    });
    return renewAgentHome(home, globs, fill);
  }
}

function filesOf(agent: Agent, session: string | undefined): string[] {
  return session === undefined ? [] : (agent.sessionFiles?.(session) ?? []);
}

async function orProblem(work: Promise<void>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}
