import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { hasEnvironmentEntry, isDead, readProcessTable } from './process-table.ts';
import { MARK_VARIABLE } from './process-tree.ts';
import { findMembers, identify } from './tree-members.ts';

/** Set in the environment of every check command. `scrubEnv` removes names that start with `AUTOBUILD_`, so this one does not. */
const CHECK_VARIABLE = 'RUN_BY_AUTOBUILD';
const KILL_MS = 3_000;

const StartedAgent = z.object({ mark: z.string().min(1), gate_dir: z.string() });
type StartedAgent = z.infer<typeof StartedAgent>;

const fileIn = (runDir: string) => join(runDir, 'agent.json');

/** Called before the agent starts, so that a runner started after a crash can find and end the agent. */
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
 * Ends the agent (frozen or running) and the checks that a killed runner left behind. The caller must hold the run's worktree
 * lock, because otherwise these could be the processes of a live runner. Returns how many processes it found.
 */
export async function endOrphans(runDir: string, run: string): Promise<number> {
  const agent = readRecord(runDir);
  const entries = [`${CHECK_VARIABLE}=${run}`, ...(agent ? [`${MARK_VARIABLE}=${agent.mark}`] : [])];
  const ended = await killMarked(entries);
  // The gate's socket is in a directory of its own in the system's temporary directory.
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

/** SIGKILL without a grace period, because nobody reads the output and a frozen process cannot handle SIGTERM. */
async function killMarked(entries: string[]): Promise<number> {
  const seen = new Set<string>();
  const deadline = performance.now() + KILL_MS;
  for (;;) {
    const members = findMembers(readProcessTable(), {
      // The root's pid is not used, because the system may have reused it since the crash.
      root: { pid: -1, started: undefined },
      self: process.pid,
      known: seen,
      grouped: new Set(),
      isMarked: ({ pid }) => entries.some((entry) => hasEnvironmentEntry(pid, entry)),
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
    // The process has ended already, or belongs to another user and cannot be ended from here.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
