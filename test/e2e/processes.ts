import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseStat } from '../../src/runner/process/process-table.ts';

/** Polls until the check holds; the deadline is far beyond what a loaded machine needs. */
export async function until(what: string, check: () => boolean, deadlineMs = 60_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!check()) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms in vain for: ${what}`);
    await sleep(10);
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** One that has ended and was not waited for is not. */
export function isAlive(pid: number): boolean {
  const state = stateOf(pid);
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** A shell in the middle of a vfork stands still in the kernel (D) for as long as its child is stopped (T). */
export function isStopped({ state }: { state: string }): boolean {
  return state === 'T' || state === 'D';
}

function stateOf(pid: number): string | undefined {
  return parseStat(pid, readProc(pid, 'stat'))?.state;
}

/** Living processes whose environment holds the entry. */
export function processesWith(entry: string): { pid: number; state: string; environment: string }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .flatMap((pid) => {
      const environment = readProc(pid, 'environ');
      if (!`\0${environment}`.includes(entry)) return [];
      return isAlive(pid) ? [{ pid, state: stateOf(pid) ?? '', environment }] : [];
    });
}

/** A process may be gone by the time it is looked at. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
