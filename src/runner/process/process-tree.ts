import { setTimeout as sleep } from 'node:timers/promises';
import type { Cgroup } from './cgroup.ts';
import {
  hasEnvironmentEntry,
  isDead,
  isStopped,
  type ProcessEntry,
  readProcessTable,
} from './process-table.ts';
import { findMembers, identify, protectedPids } from './tree-members.ts';

export const MARK_VARIABLE = 'AUTOBUILD_MARK';

const FREEZE_PASSES = 50;
const FREEZE_MS = 900;
/** Longest wait for the cgroup freezer. After that, freezing relies on signals alone. */
const CGROUP_FREEZE_MS = 100;
/** A process in uninterruptible sleep this long after SIGSTOP counts as stopped: it gets the signal before its next instruction. */
const UNINTERRUPTIBLE_MS = 20;
const THAW_PASSES = 5;
const KILL_MS = 2000;

export type ProcessTree = {
  list(): number[];
  /** Resolves once every process is stopped. `running` counts those that could not be stopped (another user's, or too many). */
  freeze(): Promise<{ processes: number; ms: number; running: number }>;
  thaw(): Promise<void>;
  /** Sends SIGTERM, then SIGKILL after the grace period. `survivors` counts processes that are still alive after that. */
  kill(options: { graceMs: number }): Promise<{ processes: number; survivors: number }>;
};

type Signal = 'SIGSTOP' | 'SIGCONT' | 'SIGTERM' | 'SIGKILL';

/**
 * All processes an agent started: its descendants, its session, every process with its mark in the environment (daemons that
 * left the tree), and the members of its cgroup. Call it right after the spawn, while the pid cannot have been reused.
 */
export function createProcessTree(options: { rootPid: number; mark: string; cgroup?: Cgroup }): ProcessTree {
  const { rootPid, mark, cgroup } = options;
  assertMark(mark);
  // Kernel threads and whole containers have session 0 or 1, so a wrong pid here would stop the machine.
  if (!Number.isInteger(rootPid) || rootPid <= 1) throw new RangeError(`not the pid of an agent: ${rootPid}`);
  const markEntry = `${MARK_VARIABLE}=${mark}`;
  const root = { pid: rootPid, started: readProcessTable().get(rootPid)?.started };
  let known = new Set<string>();
  const stoppedByUs = new Set<string>();

  /** The live members of the tree: the root first, parents before children. */
  function scan(): ProcessEntry[] {
    const alive = findMembers(readProcessTable(), {
      root,
      self: process.pid,
      known,
      grouped: new Set(cgroup?.pids()),
      isMarked: (pid) => hasEnvironmentEntry(pid, markEntry),
    }).filter((entry) => !isDead(entry));
    known = new Set(alive.map(identify));
    for (const id of stoppedByUs) if (!known.has(id)) stoppedByUs.delete(id);
    return alive;
  }

  /** Undefined if a member has moved us into the group, because its freezer would then stop this process forever. */
  function safeCgroup(): Cgroup | undefined {
    const members = cgroup?.pids() ?? [];
    if (members.length === 0) return undefined;
    const off = protectedPids(readProcessTable(), process.pid);
    return members.some((pid) => off.has(pid)) ? undefined : cgroup;
  }

  /** Freezes all members of the group at once, so that none can fork while the signals are sent. */
  async function holdCgroup(): Promise<void> {
    const group = safeCgroup();
    if (!group?.freeze()) return;
    const deadline = performance.now() + CGROUP_FREEZE_MS;
    while (!group.frozen() && performance.now() < deadline) await sleep(1);
  }

  /** Sends SIGSTOP to every running member, repeatedly, until a pass finds none. Returns the number of members and of those still running. */
  async function stopAll(): Promise<{ processes: number; running: number }> {
    const begin = performance.now();
    await holdCgroup();
    const refused = new Set<string>();
    let processes = 0;
    let running = 0;
    for (let pass = 0; pass < FREEZE_PASSES && performance.now() - begin < FREEZE_MS; pass++) {
      const members = scan();
      const waited = performance.now() - begin;
      const busy = members.filter((entry) => {
        if (isStopped(entry)) return false;
        if (entry.state === 'D' && stoppedByUs.has(identify(entry)) && waited > UNINTERRUPTIBLE_MS)
          return false;
        return !refused.has(identify(entry));
      });
      for (const entry of busy) {
        if (send(entry, 'SIGSTOP')) stoppedByUs.add(identify(entry));
        else refused.add(identify(entry));
      }
      // The group can be thawed now: the pending SIGSTOP takes effect before its members run another instruction.
      if (pass === 0) cgroup?.thaw();
      processes = members.length;
      running = busy.length;
      if (busy.length === 0) {
        running = members.filter((entry) => refused.has(identify(entry))).length;
        break;
      }
      if (pass > 0) await sleep(Math.min(pass, 20));
    }
    return { processes, running };
  }

  async function freeze() {
    const begin = performance.now();
    const { processes, running } = await stopAll();
    return { processes, running, ms: performance.now() - begin };
  }

  async function thaw(): Promise<void> {
    cgroup?.thaw();
    for (let pass = 0; pass < THAW_PASSES; pass++) {
      // Children first, because a shell that continues before its children sees them stopped and prints that.
      const held = scan()
        .reverse()
        .filter((entry) => stoppedByUs.has(identify(entry)) && (pass === 0 || isStopped(entry)));
      if (held.length === 0) break;
      for (const entry of held) send(entry, 'SIGCONT');
      await sleep(pass);
    }
    stoppedByUs.clear();
  }

  async function kill({ graceMs }: { graceMs: number }) {
    const signalled = new Set<string>();
    const deadline = performance.now() + graceMs;
    cgroup?.thaw();
    for (let pass = 0; ; pass++) {
      const members = scan();
      if (members.length === 0) return { processes: signalled.size, survivors: 0 };
      if (performance.now() >= deadline && pass > 0) break;
      const fresh = members.filter((entry) => !signalled.has(identify(entry)));
      for (const entry of fresh) {
        send(entry, 'SIGTERM');
        signalled.add(identify(entry));
      }
      // A stopped process handles the pending SIGTERM once it continues. Children first, because when a parent dies the
      // kernel sends SIGHUP to its stopped children, which would end them before they handle the SIGTERM.
      for (const entry of fresh.reverse())
        if (isStopped(entry) || stoppedByUs.has(identify(entry))) send(entry, 'SIGCONT');
      await sleep(Math.max(1, Math.min(5 * (pass + 1), 50, deadline - performance.now())));
    }
    const survivors = await killHard(signalled);
    return { processes: signalled.size, survivors };
  }

  async function killHard(signalled: Set<string>): Promise<number> {
    const deadline = performance.now() + KILL_MS;
    let left: ProcessEntry[] = [];
    do {
      // Stopping all of them first defeats a process that forks faster than the table can be read.
      await stopAll();
      safeCgroup()?.kill();
      left = scan();
      for (const entry of left) {
        send(entry, 'SIGKILL');
        signalled.add(identify(entry));
      }
      await sleep(5);
      left = scan();
    } while (left.length > 0 && performance.now() < deadline);
    return left.length;
  }

  return { list: () => scan().map((entry) => entry.pid), freeze, thaw, kill };
}

/** An empty mark, or one with other characters, could match processes that are not the agent's. */
export function assertMark(mark: string): void {
  if (!/^[\w-]{1,128}$/.test(mark))
    throw new RangeError(`a mark is 1 to 128 letters, digits, "_" and "-": "${mark}"`);
}

/** False if the system refuses the signal. A process that has ended already counts as success. */
function send(entry: ProcessEntry, signal: Signal): boolean {
  try {
    process.kill(entry.pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
