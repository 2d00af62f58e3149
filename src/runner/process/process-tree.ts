import { setTimeout as sleep } from 'node:timers/promises';
import type { Cgroup } from './cgroup.ts';
import {
  hasEnvironmentEntry,
  isDead,
  isHeld,
  isStopped,
  type ProcessEntry,
  type ProcessTable,
  readProcess,
  readProcesses,
  readProcessTable,
} from './process-table.ts';
import { findMembers, identify, protectedPids } from './tree-members.ts';

export const MARK_VARIABLE = 'AUTOBUILD_MARK';

const FREEZE_PASSES = 50;
const FREEZE_MS = 900;
/** A process in uninterruptible sleep this long after SIGSTOP counts as stopped: it gets the signal before its next instruction. */
const UNINTERRUPTIBLE_MS = 20;
/** Longest wait for members that were sent SIGSTOP, before all processes are looked at again. */
const SETTLE_MS = 50;
const THAW_PASSES = 5;
const KILL_MS = 2000;

/** Processes that belong together by a rule of the kernel, such as those of a cgroup. */
export type ProcessGroup = Pick<Cgroup, 'pids' | 'freeze' | 'thaw' | 'kill'>;

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
 * left the tree), and the members of its group. Call it right after the spawn, while the pid cannot have been reused.
 */
export function createProcessTree(options: {
  rootPid: number;
  mark: string;
  group?: ProcessGroup;
  /** True if the root and its child are a box around the program, and all in it ends with them. */
  isBox?: boolean;
}): ProcessTree {
  const { rootPid, mark, group, isBox = false } = options;
  assertMark(mark);
  // Kernel threads and whole containers have session 0 or 1, so a wrong pid here would stop the machine.
  if (!Number.isInteger(rootPid) || rootPid <= 1) throw new RangeError(`not the pid of an agent: ${rootPid}`);
  const markEntry = `${MARK_VARIABLE}=${mark}`;
  const root = { pid: rootPid, started: readProcess(rootPid)?.started };
  let known = new Set<string>();
  const stoppedByUs = new Set<string>();

  /** The live members of the tree: the root first, parents before children. */
  function scan(
    table = readProcessTable(),
    isMarked = hasMark,
    grouped: ReadonlySet<number> = new Set(group?.pids()),
  ): ProcessEntry[] {
    const alive = findMembers(table, {
      root,
      self: process.pid,
      known,
      grouped,
      isMarked,
    }).filter((entry) => !isDead(entry));
    known = new Set(alive.map(identify));
    for (const id of stoppedByUs) if (!known.has(id)) stoppedByUs.delete(id);
    return alive;
  }

  function hasMark({ pid, started }: ProcessEntry): boolean {
    // A process that is older than the root is none of its descendants, and asking all of them takes long.
    const isOlder = Number(started) < Number(root.started);
    return !isOlder && hasEnvironmentEntry(pid, markEntry);
  }

  /** Undefined if a member has moved us into the group, because its freezer would then stop this process forever. */
  function safeGroup(): ProcessGroup | undefined {
    const members = group?.pids() ?? [];
    if (members.length === 0) return undefined;
    const off = ownAncestors();
    return members.some((pid) => off.has(pid)) ? undefined : group;
  }

  /**
   * Sends SIGSTOP to every running member until a look at all processes finds none. Returns the number of members and of those
   * still running.
   */
  async function stopAll(): Promise<{ processes: number; running: number }> {
    const begin = performance.now();
    const refused = new Set<string>();
    /** Found not to be members by the last look. */
    let others: ProcessTable | undefined;
    const isRunning = (entry: ProcessEntry) => {
      const id = identify(entry);
      if (refused.has(id) || isStopped(entry)) return false;
      if (entry.state !== 'D' || !stoppedByUs.has(id)) return true;
      return !isHeld(entry) && performance.now() - begin <= UNINTERRUPTIBLE_MS;
    };
    const stop = (members: ProcessEntry[]) => {
      const running = members.filter(isRunning);
      for (const entry of running) {
        if (send(entry, 'SIGSTOP')) stoppedByUs.add(identify(entry));
        else refused.add(identify(entry));
      }
      return running;
    };
    // The group holds its members at their next return from the kernel, and what they fork, so few are missed by the first look.
    safeGroup()?.freeze();
    let processes = 0;
    let running = 0;
    for (let pass = 0; pass < FREEZE_PASSES && performance.now() - begin < FREEZE_MS; pass++) {
      const table = readProcessTable(others);
      // Those that are known without opening one more file are stopped first.
      const grouped = new Set(group?.pids());
      const first = stop(scan(table, () => false, grouped)).length;
      const isMarked = (entry: ProcessEntry) => !others?.has(entry.pid) && hasMark(entry);
      const members = scan(table, isMarked, grouped);
      running = first + stop(members).length;
      for (const { pid } of members) table.delete(pid);
      others = table;
      // The group can be thawed now: the pending SIGSTOP takes effect before its members run another instruction.
      if (pass === 0) group?.thaw();
      processes = members.length;
      if (running === 0) {
        running = members.filter((entry) => refused.has(identify(entry))).length;
        break;
      }
      await settle(members, isRunning);
    }
    return { processes, running };
  }

  async function freeze() {
    const begin = performance.now();
    const { processes, running } = await stopAll();
    return { processes, running, ms: performance.now() - begin };
  }

  async function thaw(): Promise<void> {
    group?.thaw();
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

  function holdsBox({ pid, ppid }: ProcessEntry): boolean {
    return isBox && (pid === rootPid || ppid === rootPid);
  }

  async function kill({ graceMs }: { graceMs: number }) {
    const signalled = new Set<string>();
    const deadline = performance.now() + graceMs;
    group?.thaw();
    for (let pass = 0; ; pass++) {
      const all = scan();
      if (all.length === 0) return { processes: signalled.size, survivors: 0 };
      if (performance.now() >= deadline && pass > 0) break;
      const members = all.filter((entry) => !holdsBox(entry));
      // The box stands still until it is empty: a launcher may end at once, and the program behind it still saves its work.
      for (const entry of all.filter(holdsBox)) send(entry, members.length > 0 ? 'SIGSTOP' : 'SIGCONT');
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
      safeGroup()?.kill();
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

/** Waits until none of these runs. Only they are looked at, because a look at all processes takes long on a busy machine. */
async function settle(
  members: readonly ProcessEntry[],
  isRunning: (entry: ProcessEntry) => boolean,
): Promise<void> {
  const deadline = performance.now() + SETTLE_MS;
  let left = members.filter((entry) => !isStopped(entry));
  for (let wait = 0; performance.now() < deadline; wait = 1) {
    const now = readProcesses(left.map(({ pid }) => pid));
    left = [...now.values()].filter((entry) => !isDead(entry) && isRunning(entry));
    if (left.length === 0) return;
    await sleep(wait);
  }
}

/** This process and those above it. */
function ownAncestors(): Set<number> {
  const table = new Map<number, ProcessEntry>();
  for (let pid = process.pid; pid > 1 && !table.has(pid); ) {
    const entry = readProcess(pid);
    if (!entry) break;
    table.set(pid, entry);
    pid = entry.ppid;
  }
  return protectedPids(table, process.pid);
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
