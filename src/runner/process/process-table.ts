import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';

export type ProcessEntry = {
  pid: number;
  ppid: number;
  /** 0 if unknown. */
  session: number;
  /** The kernel's state letter, such as R, S, D, T (stopped), t (stopped by a debugger) or Z. */
  state: string;
  threads: number;
  /** The start time. Pid and start time together identify a process; a pid alone is reused. */
  started: string;
};

export type ProcessTable = Map<number, ProcessEntry>;

const hasProc = existsSync('/proc/self/stat');
const SIGSTOP_BIT = 1n << 18n;
const buffer = Buffer.allocUnsafe(4096);

/**
 * All processes as they are now. Synchronous, because a pass has to be faster than the processes can fork. Entries in `kept` are
 * not read again: pids are given out in turn, so a moment later none of them belongs to another process.
 */
export function readProcessTable(kept?: ProcessTable): ProcessTable {
  return hasProc ? readProc(kept) : readPs();
}

/** One process as it is now, without reading the others. Undefined if there is none. */
export function readProcess(pid: number): ProcessEntry | undefined {
  return hasProc ? readStat(pid, `/proc/${pid}/stat`) : readPs().get(pid);
}

/** These processes as they are now, without those that ended. Much cheaper than the whole table, where there is /proc. */
export function readProcesses(pids: Iterable<number>): ProcessTable {
  const table: ProcessTable = new Map();
  const all = hasProc ? undefined : readPs();
  for (const pid of pids) {
    const entry = all ? all.get(pid) : readProcess(pid);
    if (entry) table.set(pid, entry);
  }
  return table;
}

function readProc(kept?: ProcessTable): ProcessTable {
  const table: ProcessTable = new Map();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const entry = kept?.get(pid) ?? readStat(pid, `/proc/${name}/stat`);
    if (entry) table.set(pid, entry);
  }
  return table;
}

function readStat(pid: number, path: string): ProcessEntry | undefined {
  const text = readSmall(path);
  return text === undefined ? undefined : parseStat(pid, text);
}

/** Undefined if the process ended between listing and reading, which is normal. */
function readSmall(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Fields are counted from the last `)`, because the process name (field 2) may contain spaces and parentheses. */
export function parseStat(pid: number, text: string): ProcessEntry | undefined {
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const [state, ppid, , session] = fields;
  const started = fields[19];
  if (close === -1 || !state || started === undefined) return undefined;
  return { pid, ppid: Number(ppid), session: Number(session), state, threads: Number(fields[17]), started };
}

/** For systems without /proc. `lstart` has a resolution of one second, which is enough to detect a reused pid. */
export function readPs(): ProcessTable {
  const table: ProcessTable = new Map();
  const output = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,lstart='], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    timeout: 2000,
  });
  for (const line of output.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S)\S*\s+(.+)$/.exec(line);
    if (!match) continue;
    const [, pid, ppid, state = '', started = ''] = match;
    table.set(Number(pid), { pid: Number(pid), ppid: Number(ppid), session: 0, state, threads: 1, started });
  }
  return table;
}

/** True if no thread is left to signal. A process whose leader has ended counts as alive while other threads run. */
export function isDead({ state, threads }: ProcessEntry): boolean {
  return (state === 'Z' && threads <= 1) || state === 'X';
}

/** True if every thread is stopped. Threads are read one by one, because `state` is only the leader's. */
export function isStopped({ pid, state, threads }: ProcessEntry): boolean {
  if (threads <= 1 || !hasProc) return isStopState(state);
  if (!isStopState(state) && state !== 'Z') return false;
  return listNames(`/proc/${pid}/task`).every((task) => {
    const thread = readStat(Number(task), `/proc/${pid}/task/${task}/stat`);
    return !thread || isStopState(thread.state) || thread.state === 'Z' || thread.state === 'X';
  });
}

/**
 * True if the process waits inside the kernel with a SIGSTOP that it gets before its next own instruction, such as a parent in
 * `vfork` whose child is stopped. Threads of others are not looked at, because one of them may have taken the signal for all.
 */
export function isHeld({ pid, state, threads }: ProcessEntry): boolean {
  if (state !== 'D' || threads > 1 || !hasProc) return false;
  const pending = /^ShdPnd:\s+([0-9a-f]+)$/m.exec(readSmall(`/proc/${pid}/status`) ?? '')?.[1] ?? '0';
  return (BigInt(`0x${pending}`) & SIGSTOP_BIT) !== 0n;
}

function isStopState(state: string): boolean {
  return state === 'T' || state === 't';
}

function listNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** True if the process was started with this entry (`NAME=value`) in its environment. */
export function hasEnvironmentEntry(pid: number, entry: string): boolean {
  if (!hasProc) return false;
  const uid = process.getuid?.();
  try {
    if (uid !== 0 && statSync(`/proc/${pid}`).uid !== uid) return false;
    const environment = readFileSync(`/proc/${pid}/environ`);
    const at = environment.indexOf(`${entry}\0`);
    return at === 0 || environment.includes(`\0${entry}\0`);
  } catch {
    return false;
  }
}
