import { readdirSync, readFileSync } from 'node:fs';
import { MARK_VARIABLE } from '../src/runner/process/process-tree.ts';

const SIGSTOP_BIT = 1n << 18n;

/**
 * `held` means inside the kernel (a vfork) with the stop pending, so that it runs no further instruction of its own.
 */
export type ProcessStatus = 'running' | 'stopped' | 'held';

/** The status of each live process with the mark, read from /proc, so that the tree's own report is not needed. */
export function readMarked(mark: string): Map<number, ProcessStatus> {
  const entry = `${MARK_VARIABLE}=${mark}\0`;
  const found = new Map<number, ProcessStatus>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || !read(`/proc/${name}/environ`).includes(entry)) continue;
    const threads = listThreads(name).map(readThread);
    const statuses = threads.filter((status) => status !== undefined);
    if (statuses.length > 0) found.set(Number(name), worst(statuses));
  }
  return found;
}

function readThread(folder: string): ProcessStatus | undefined {
  const status = read(`${folder}/status`);
  const state = /^State:\s+(\w)/m.exec(status)?.[1];
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  if (state === 'T' || state === 't') return 'stopped';
  const pending = [...status.matchAll(/^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)/gm)];
  const stops = pending.some(([, mask]) => (BigInt(`0x${mask}`) & SIGSTOP_BIT) !== 0n);
  return state === 'D' && stops ? 'held' : 'running';
}

function worst(statuses: ProcessStatus[]): ProcessStatus {
  if (statuses.includes('running')) return 'running';
  return statuses.includes('held') ? 'held' : 'stopped';
}

function listThreads(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}`);
  } catch (error) {
    return gone(error, []);
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    return gone(error, '');
  }
}

/** Processes end while they are inspected, and those of other users are not ours. */
function gone<Nothing>(error: unknown, nothing: Nothing): Nothing {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return nothing;
  throw error;
}
