import { describe, expect, it } from 'vitest';
import {
  isDead,
  parseStat,
  readProcess,
  readProcessTable,
  readPs,
} from '../../../src/runner/process/process-table.ts';

const rest = '1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 3 0 987654 1000 10';

describe('process table', () => {
  it('reads a process whatever its name: spaces, parentheses, a state that is none', () => {
    for (const name of ['sh', 'a b', 'x) R 1 (y', ') ', '((', 'line\nbreak'])
      expect(parseStat(42, `42 (${name}) S ${rest}`)).toEqual({
        pid: 42,
        ppid: 1,
        session: 42,
        state: 'S',
        threads: 3,
        started: '987654',
      });
    expect(parseStat(42, '')).toBeUndefined();
  });

  it('takes a leader that ended before its threads for alive', () => {
    const entry = { pid: 1, ppid: 0, session: 1, state: 'Z', threads: 2, started: '1' };
    expect(isDead(entry)).toBe(false);
    expect(isDead({ ...entry, threads: 1 })).toBe(true);
  });

  it('knows ourselves and our parent, with and without /proc', () => {
    for (const table of [readProcessTable(), readPs()]) {
      expect(table.get(process.pid)?.ppid).toBe(process.ppid);
      expect(table.get(process.pid)?.started).not.toBe('');
      expect(table.has(process.ppid)).toBe(true);
    }
  });

  it('reads one process as it is in the table of all', () => {
    const { ppid, session, started } = readProcessTable().get(process.pid) ?? {};
    expect(readProcess(process.pid)).toMatchObject({ pid: process.pid, ppid, session, started });
    expect(readProcess(2 ** 30)).toBeUndefined();
  });
});
