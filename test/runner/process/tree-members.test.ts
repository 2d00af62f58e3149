import { describe, expect, it } from 'vitest';
import type { ProcessEntry } from '../../../src/runner/process/process-table.ts';
import { findMembers, type MemberQuery } from '../../../src/runner/process/tree-members.ts';

const entry = (pid: number, ppid: number, rest: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  ppid,
  session: pid,
  state: 'S',
  threads: 1,
  started: `t${pid}`,
  ...rest,
});

function find(entries: ProcessEntry[], query: Partial<MemberQuery> = {}): number[] {
  const ours = [entry(1, 0), entry(50, 1), entry(60, 50, { session: 50 })];
  return findMembers(new Map([...ours, ...entries].map((one) => [one.pid, one])), {
    root: { pid: 100, started: 't100' },
    self: 60,
    known: new Set(),
    grouped: new Set(),
    isMarked: () => false,
    ...query,
  }).map((one) => one.pid);
}

describe('findMembers', () => {
  it('P-2: lists descendants, parents first', () => {
    expect(find([entry(102, 101), entry(101, 100), entry(100, 60), entry(200, 1)])).toEqual([100, 101, 102]);
  });

  it('P-2: lists what lost its parent: by session, group, mark, or because it was seen before', () => {
    const orphans = [
      entry(201, 1, { session: 100 }),
      entry(202, 1),
      entry(203, 1),
      entry(204, 1),
      entry(205, 204),
      entry(206, 1),
    ];
    const query = {
      grouped: new Set([202]),
      isMarked: ({ pid }: ProcessEntry) => pid === 203,
      known: new Set(['204@t204']),
    };
    expect(find(orphans, query)).toEqual([201, 202, 203, 204, 205]);
  });

  it('P-2: takes no process for the root, or for one seen before, because it has its pid', () => {
    const reused = [
      entry(100, 1, { started: 'later' }),
      entry(101, 100, { session: 100 }),
      entry(204, 1, { started: 'later' }),
    ];
    expect(find(reused, { known: new Set(['204@t204']) })).toEqual([]);
  });

  it('P-2: never lists init, us or our ancestors, nor our own session', () => {
    const query = { grouped: new Set([1, 50, 60]), isMarked: ({ pid }: ProcessEntry) => pid <= 60 };
    expect(find([], query)).toEqual([]);
    expect(find([entry(70, 1, { session: 50 })], { root: { pid: 50, started: 't50' } })).toEqual([]);
  });
});
