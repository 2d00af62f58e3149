import { expect, test } from 'vitest';
import { plainTitle } from '../../../src/comments/text/plain-title.ts';

/** What GitHub reads in a commit message. */
const READ =
  /(?<![\w`])@[a-z\d]|\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+\/[\w.-]+)?(?:#|GH-)\d|#\d|GH-\d|\/(?:issues|pull)\/\d|\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/i;

test.each([
  'Login, fixes #3 for @walter',
  'Closes: olivia/shop#12',
  'resolves gh-7',
  'Fixed https://github.com/olivia/shop/issues/4',
  'See /pull/9',
  'cc @olivia/maintainers',
  'Tidy up [skip ci]',
  'Tidy up [Actions Skip]',
  'fixes \u200b#3',
])('nothing in %j is acted upon, and it reads the same', (title) => {
  const plain = plainTitle(title);
  expect(READ.test(title.replace('\u200b', ''))).toBe(true);
  expect(plain).not.toMatch(READ);
  expect(plain.replaceAll('\u2060', '')).toBe(title.replace('\u200b', ''));
});

test('an ordinary title stays as it is', () => {
  const title = 'Add C# support: 100 % of a[0], a@ b and issue # 3';
  expect(plainTitle(title)).toBe(title);
});

test('one line of at most 256 characters, whatever is put in', () => {
  const plain = plainTitle(`a\nb ${'#1 '.repeat(1_000)}`);
  expect(plain.length).toBe(256);
  expect(plain).toMatch(/^a b #\u20601 .*…$/);
  expect(plain).not.toMatch(READ);
});
