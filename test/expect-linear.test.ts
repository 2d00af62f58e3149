import { expect, test } from 'vitest';
import { expectLinear } from './expect-linear.ts';

const SMALL = 300;
const line = 'a, '.repeat(4 * SMALL);

/** Each reads all of its input once for each part of it. */
const QUADRATIC: Record<string, (size: number) => unknown> = {
  'a loop in a loop': (size) => {
    let steps = 0;
    for (let outer = 0; outer < size; outer += 1)
      for (let inner = 0; inner < size; inner += 1) steps += inner;
    return steps;
  },
  'a search from the beginning, each time': (size) =>
    [...line.slice(0, size)].map((_, at) => line.slice(0, size).indexOf('b', at % 2)),
  'a list that is searched for each of its items': (size) => {
    const seen: number[] = [];
    for (let item = 0; item < size; item += 1) if (!seen.includes(item)) seen.push(item);
    return seen;
  },
  'a list that loses its first item': (size) => {
    const items = Array.from({ length: size }, (_, item) => item);
    while (items.length > 0) items.shift();
  },
  'a copy for each item': (size) =>
    Array.from({ length: size }, (_, item) => item).reduce<number[]>((all, item) => all.concat(item), []),
  'a regular expression at each place': (size) => {
    const text = line.slice(0, size);
    return [...text].map((_, at) => /b/.exec(text.slice(at)));
  },
  'text that is parsed again for each part': (size) =>
    Array.from({ length: size / 10 }, () => JSON.parse(JSON.stringify(line.slice(0, size)))),
};

const LINEAR: Record<string, (size: number) => unknown> = {
  'one loop': (size) => {
    let steps = 0;
    for (let at = 0; at < size; at += 1) steps += at;
    return steps;
  },
  'a search that goes on where it was': (size) => {
    const text = line.slice(0, size);
    let found = 0;
    for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) found += 1;
    return found;
  },
  'all matches of a regular expression': (size) => [...line.slice(0, size).matchAll(/a/g)].length,
  'a set': (size) => new Set(line.slice(0, size).split(',')).size,
  'sorted and joined': (size) =>
    Array.from({ length: size }, (_, item) => -item)
      .toSorted()
      .join(),
};

test.each(Object.entries(QUADRATIC))('%s is noticed', (_, work) => {
  expect(() => expectLinear(work, SMALL)).toThrow('steps became');
});

test.each(Object.entries(LINEAR))('%s passes', (_, work) => {
  expectLinear(work, SMALL);
});
