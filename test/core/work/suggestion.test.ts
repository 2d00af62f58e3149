import { expect, test } from 'vitest';
import type { Remark } from '../../../src/core/contracts/revision.ts';
import { applySuggestions, hasSuggestion, suggestionsIn } from '../../../src/core/work/suggestion.ts';

const TEXT = 'one\ntwo\nthree\nfour\n';

function remark(id: string, [start, end]: [number, number], original: string, replacement: string): Remark {
  const suggestion = { start, end, original, replacement };
  return { id, author: 'hubert', path: 'a.ts', text: '', now: { line: end, start_line: start }, suggestion };
}
const apply = (text: string, ...remarks: Remark[]) => applySuggestions(text, remarks.filter(hasSuggestion));

test('V-3: suggestions replace their lines, several in one file, longer, shorter and empty ones', () => {
  const changed = apply(
    TEXT,
    remark('R1', [1, 1], 'one', 'ONE\nand more'),
    remark('R2', [2, 3], 'two\nthree', ''),
    remark('R3', [4, 4], 'four', 'FOUR'),
  );
  expect(changed).toEqual({ text: 'ONE\nand more\nFOUR\n', applied: ['R3', 'R2', 'R1'] });
});

test('V-3: lines that are not as the reviewer saw them, and lines of another suggestion, are left alone', () => {
  expect(apply(TEXT, remark('R1', [2, 2], 'other', 'x'))).toEqual({ text: TEXT, applied: [] });
  expect(apply(TEXT, remark('R1', [9, 9], 'nine', 'x'))).toEqual({ text: TEXT, applied: [] });
  const both = apply(TEXT, remark('R1', [2, 3], 'two\nthree', 'x'), remark('R2', [3, 3], 'three', 'y'));
  expect(both.applied).toHaveLength(1);
});

test('V-3: a place that moved counts where it is now, and line ends stay as they are', () => {
  const moved = { ...remark('R1', [1, 1], 'two', 'TWO'), now: { line: 2 } };
  expect(apply('one\r\ntwo\r\n', moved).text).toBe('one\r\nTWO\r\n');
});

test('V-3: the desk finds by itself which suggestions are in the work', () => {
  const content = Buffer.from('one\nTWO\nthree\n').toString('base64');
  const files = [{ path: 'a.ts', mode: '100644' as const, status: 'modified' as const, content }];
  const found = suggestionsIn({ base_sha: '', files, left_out: [] }, [
    remark('R1', [2, 2], 'two', 'TWO'),
    remark('R2', [1, 1], 'one', 'ONE'),
    remark('R3', [4, 4], 'four', ''),
    { ...remark('R4', [2, 2], 'two', 'TWO'), path: 'b.ts' },
  ]);
  expect(found).toEqual(['R1', 'R3']);
});

const found = (text: string, ...remarks: Remark[]) => {
  const content = Buffer.from(text).toString('base64');
  const files = [{ path: 'a.ts', mode: '100644' as const, status: 'modified' as const, content }];
  return suggestionsIn({ base_sha: '', files, left_out: [] }, remarks);
};

test('V-3: the text of a suggestion counts in its place, not wherever the file has the same line', () => {
  const bracket = remark('R1', [1, 1], 'x = 1', '}');
  expect(found('x = 1\nif (y) {\n}\n', bracket)).toEqual([]);
  expect(found('x = 2\nif (y) {\n}\n', bracket)).toEqual([]);
  expect(found('}\nif (y) {\n}\n', bracket)).toEqual(['R1']);
});

test('V-3: a suggestion is found below others that moved its place, and where the agent wrote above it', () => {
  const longer = remark('R1', [1, 1], 'one', 'ONE\nand more');
  const gone = remark('R2', [2, 2], 'two', '');
  const below = remark('R3', [4, 4], 'four', 'FOUR');
  expect(found('ONE\r\nand more\r\nthree\r\nFOUR\r\n', below, gone, longer)).toEqual(['R3', 'R2', 'R1']);
  const code = '@@ -1,3 +1,4 @@\n one\n+two\n-old\n+\n+four';
  const moved = { ...remark('R1', [4, 4], 'four', 'FOUR'), code };
  expect(found('import a\none\ntwo\n\nFOUR\n', moved)).toEqual(['R1']);
  expect(found('import a\none\ntwo\n\nfour\nFOUR\n', moved)).toEqual([]);
  expect(found('import a\none\nFOUR\n', { ...moved, code: '@@ -1 +1 @@\n+four' })).toEqual([]);
});

test('V-3: of a suggestion whose lines have changed, the same text elsewhere in the file says nothing', () => {
  const content = Buffer.from('if (a) {\n  b();\n}\n').toString('base64');
  const files = [{ path: 'a.ts', mode: '100644' as const, status: 'modified' as const, content }];
  const outdated = { ...remark('R1', [9, 9], '};', '}'), now: undefined };
  const gone = { ...remark('R2', [9, 9], 'gone();', ''), now: undefined };
  expect(suggestionsIn({ base_sha: '', files, left_out: [] }, [outdated, gone])).toEqual([]);
  expect(apply('if (a) {\n  b();\n}\n', outdated).applied).toEqual([]);
});
