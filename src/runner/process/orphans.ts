import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { hasEnvironmentEntry, isDead, readProcessTable } from './process-table.ts';
import { MARK_VARIABLE } from './process-tree.ts';
import { findMembers, identify } from './tree-members.ts';

/** Carried by every check command, under a name that the scrubbing of secrets leaves alone. */
const CHECK_VARIABLE = 'RUN_BY_AUTOBUILD';
const KILL_MS = 3_000;

const StartedAgent = z.object({ mark: z.string().min(1), gate_dir: z.string() });
type StartedAgent = z.infer<typeof StartedAgent>;

const fileIn = (runDir: string) => join(runDir, 'agent.json');

/** Written before the agent is started: whoever comes after a crash knows whom to end. */
export function recordAgent(runDir: string, agent: StartedAgent): void {
  writeFileSync(`${fileIn(runDir)}.new`, JSON.stringify(agent), { mode: 0o600 });
  renameSync(`${fileIn(runDir)}.new`, fileIn(runDir));
}

export function forgetAgent(runDir: string): void {
  rmSync(fileIn(runDir), { force: true });
}

export function markChecks(env: Record<string, string>, run: string): Record<string, string> {
  return { ...env, [CHECK_VARIABLE]: run };
}

/**
 * Ends what a runner that was killed left behind: its agent, frozen or at work, and its checks. Only for a run whose worktree
 * lock is held, so that no living runner's processes are meant. Says how many there were.
 */
export async function endOrphans(runDir: string, run: string): Promise<number> {
  const agent = readRecord(runDir);
  const entries = [`${CHECK_VARIABLE}=${run}`, ...(agent ? [`${MARK_VARIABLE}=${agent.mark}`] : [])];
  const ended = await killMarked(entries);
  // A gate's socket is in a directory of its own below the system's temporary one.
  if (agent && /\/autobuild-[^/]+$/.test(agent.gate_dir)) {
    await rm(agent.gate_dir, { recursive: true, force: true });
  }
  forgetAgent(runDir);
  return ended;
}

function readRecord(runDir: string): StartedAgent | undefined {
  if (!existsSync(fileIn(runDir))) return undefined;
  return StartedAgent.safeParse(parseJson(readFileSync(fileIn(runDir), 'utf8'))).data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** No grace: nobody reads what they would say, and a frozen process could not even be asked. */
async function killMarked(entries: string[]): Promise<number> {
  const seen = new Set<string>();
  const deadline = performance.now() + KILL_MS;
  for (;;) {
    const members = findMembers(readProcessTable(), {
      // No root is known: pids may have been given again since.
      root: { pid: -1, started: undefined },
      self: process.pid,
      known: seen,
      grouped: new Set(),
      isMarked: (pid) => entries.some((entry) => hasEnvironmentEntry(pid, entry)),
    }).filter((entry) => !isDead(entry));
    if (members.length === 0 || performance.now() > deadline) return seen.size;
    for (const entry of members) {
      seen.add(identify(entry));
      kill(entry.pid);
    }
    await sleep(10);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // Gone already, or another user's: neither can be ended here.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
