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
/** Longest wait for the kernel's own freezer before signals alone have to do. */
const CGROUP_FREEZE_MS = 100;
/** A process in the kernel (a disk, a vfork) this long after SIGSTOP meets the signal before its next instruction. */
const UNINTERRUPTIBLE_MS = 20;
const THAW_PASSES = 5;
const KILL_MS = 2000;

export type ProcessTree = {
  list(): number[];
  /** Resolves once every process is stopped; `running` counts those that could not be (another user's, or too many). */
  freeze(): Promise<{ processes: number; ms: number; running: number }>;
  thaw(): Promise<void>;
  /** SIGTERM, then SIGKILL after the grace. `survivors` are those that outlived even that. */
  kill(options: { graceMs: number }): Promise<{ processes: number; survivors: number }>;
};

type Signal = 'SIGSTOP' | 'SIGCONT' | 'SIGTERM' | 'SIGKILL';

/**
 * Everything an agent started: its descendants, its session, every process that carries its mark in the environment
 * (daemons that left the tree), and the members of its cgroup. Call it right after the spawn, while the pid is surely the root's.
 */
export function createProcessTree(options: { rootPid: number; mark: string; cgroup?: Cgroup }): ProcessTree {
  const { rootPid, mark, cgroup } = options;
  assertMark(mark);
  // Kernel threads and whole containers have session 0 or 1: one wrong pid here would stop the machine.
  if (!Number.isInteger(rootPid) || rootPid <= 1) throw new RangeError(`not the pid of an agent: ${rootPid}`);
  const markEntry = `${MARK_VARIABLE}=${mark}`;
  const root = { pid: rootPid, started: readProcessTable().get(rootPid)?.started };
  let known = new Set<string>();
  const stoppedByUs = new Set<string>();

  /** The tree as it is now, parents before children, the root first. */
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

  /** The group, unless a member has put us into it: its freezer would stop us for good. */
  function safeCgroup(): Cgroup | undefined {
    const members = cgroup?.pids() ?? [];
    if (members.length === 0) return undefined;
    const off = protectedPids(readProcessTable(), process.pid);
    return members.some((pid) => off.has(pid)) ? undefined : cgroup;
  }

  /** Holds all members of the group at once, so that none can fork while the signals go out. Undone by a thaw. */
  async function holdCgroup(): Promise<void> {
    const group = safeCgroup();
    if (!group?.freeze()) return;
    const deadline = performance.now() + CGROUP_FREEZE_MS;
    while (!group.frozen() && performance.now() < deadline) await sleep(1);
  }

  /** SIGSTOP to whatever runs, until a whole pass finds nothing that does. Returns how many there are and how many still run. */
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
      // With the signals pending, members of the cgroup stop before they run another instruction.
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
      // A shell that runs before its children would see them stopped, and say so.
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
      // The stopped ones wake up to a SIGTERM that is already there. Children first: when a parent dies, the kernel sends
      // its stopped children a SIGHUP, which would take their chance to handle the SIGTERM.
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
      // Stopped first: a process that forks faster than we look cannot win.
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

/** A mark that is empty, or part of another, would find processes that are not the agent's. */
export function assertMark(mark: string): void {
  if (!/^[\w-]{1,128}$/.test(mark))
    throw new RangeError(`a mark is 1 to 128 letters, digits, "_" and "-": "${mark}"`);
}

/** False when the system refuses; a process that is gone needs no signal. */
function send(entry: ProcessEntry, signal: Signal): boolean {
  try {
    process.kill(entry.pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
