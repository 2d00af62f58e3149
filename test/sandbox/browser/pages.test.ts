import { expect, test } from 'vitest';
import { linesOf } from '../../../src/sandbox/browser/pages.ts';

test('lines that can be commented on have the numbers of the file after the change', () => {
  const patch = '@@ -1,3 +1,2 @@\n one\n-two\n-three\n+drei\n@@ -10 +9,2 @@\n ten\n+eleven';
  expect(linesOf(patch).map(({ line, text }) => `${line} ${text}`)).toEqual([
    '1 one',
    '2 drei',
    '9 ten',
    '10 eleven',
  ]);
});
