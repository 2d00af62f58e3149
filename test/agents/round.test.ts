import { expect, test } from 'vitest';
import { roundPart } from '../../src/agents/round.ts';
import type { Remark } from '../../src/core/contracts/revision.ts';

const COMMIT = 'c0ffee0'.padEnd(40, '0');
const WRITTEN = { line: 12, start_line: 10, commit: COMMIT };

const remark = (changes: Partial<Remark>): Remark => ({
  ...{
    id: 'R1',
    thread: 'T1',
    author: 'hubert',
    path: 'src/login.ts',
    text: 'A constant?',
    written: WRITTEN,
  },
  ...changes,
});

function told(...remarks: Remark[]): string {
  const round = { number: 2, by: 'hubert', source: 'review' as const, head: 'a'.repeat(40), remarks };
  return roundPart(round, (text) => text) ?? '';
}

test.each([
  ['on lines that are there', { now: { line: 14, start_line: 12 } }, 'lines 12 to 14'],
  [
    'on lines that have changed, or whose file is gone',
    {},
    'lines 10 to 12 as of c0ffee0; these lines have changed since, or the file is gone',
  ],
  ['on a whole file', { written: undefined }, 'the whole file'],
  [
    'on lines that the change removes',
    { now: { line: 3 }, left: true },
    'line 3 of the base, which the change removes',
  ],
  [
    'on removed lines, outdated',
    { left: true },
    'lines 10 to 12 of the base as of c0ffee0; these lines have changed since, or the file is gone',
  ],
] as const)('V-3: the agent is told where a remark points: %s', (_, changes, place) => {
  expect(told(remark(changes))).toContain(`**R1**\n\nfile: src/login.ts, ${place}\n`);
});

test('V-3: a suggestion is told with the lines as they are now, or without a number if they have changed', () => {
  const suggestion = { start: 10, end: 12, original: 'old', replacement: 'new' };
  const now = { line: 14, start_line: 12 };
  expect(told(remark({ now, suggestion }))).toContain('suggested replacement of lines 12 to 14:\nnew');
  expect(told(remark({ suggestion }))).toContain('suggested replacement of the lines as they were:\nnew');
  expect(told(remark({ now, suggestion, applied: true }))).toContain(
    'this replacement is in the worktree already:\nnew',
  );
});
