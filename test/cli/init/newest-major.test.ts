import { expect, test } from 'vitest';
import { newestMajor } from '../../../src/cli/init/newest-major.ts';
import { expectLinear } from '../../expect-linear.ts';

const ANY = Number.POSITIVE_INFINITY;

test.each<[string, number | undefined]>([
  ['18', 18],
  ['v18.19.0', 18],
  ['18.x', 18],
  ['=20.1.0', 20],
  ['^18.17', 18],
  ['~20.9.0', 20],
  ['^18 || ^20', 20],
  ['^18 || >=20', ANY],
  ['>=18', ANY],
  ['> 18', ANY],
  ['>=18 <21', 20],
  ['>=18 <= 21', 21],
  ['>= 18 < 21.0.0', 20],
  ['<21.2', 21],
  ['18 - 20', 20],
  ['16.0.0 - 20.1.0 || 22', 22],
  ['*', ANY],
  ['', ANY],
  ['lts/*', ANY],
  ['lts/iron', 20],
  ['lts/Hydrogen', 18],
  ['node', ANY],
  ['lts/unheard', undefined],
  ['^18 || what', undefined],
  ['[object Object]', undefined],
])('N-1: the newest Node.js that %j allows is %j', (range, newest) => {
  expect(newestMajor(range)).toBe(newest);
});

test('S-18: a range of any length is read in proportion to it', () => {
  expectLinear((size) => void newestMajor('18 - '.repeat(size)), 20_000);
});
