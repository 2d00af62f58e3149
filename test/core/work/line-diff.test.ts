import { expect, test } from 'vitest';
import { diffLines } from '../../../src/core/work/line-diff.ts';

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('');

test('S-7: a change is shown with its surroundings, and nothing of it is left out', () => {
  const before = lines('1', '2', '3', '4', '5', '6', '7', '8', '9', '10');
  const after = lines('1', '2', '3', '4', 'five', '6', '7', '8', '9', '10', '11');
  expect(diffLines(before, after, 1000)).toBe(
    ['@@ -2 +2 @@', ' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8', ' 9', ' 10', '+11'].join('\n'),
  );
  expect(diffLines('', lines('a', 'b'), 1000)).toBe('@@ -1 +1 @@\n+a\n+b');
  expect(diffLines(lines('a'), '', 1000)).toBe('@@ -1 +1 @@\n-a');
  expect(diffLines('a\n', 'a', 1000)).toContain('+a (no newline at the end)');
  expect(diffLines('same', 'same', 1000)).toBe('');
  expect(diffLines('a\0', 'b', 1000)).toBe('Binary content.');
});

test('S-7: a long change is cut, and says so', () => {
  const text = diffLines('', lines(...Array.from({ length: 1000 }, (_, i) => `line ${i}`)), 200);
  expect(text.length).toBeLessThan(260);
  expect(text).toContain('… cut, ');
});
