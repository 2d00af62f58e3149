import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ONE_DESK } from './one-desk.ts';

const ON_BOTH = 'describe.each(DESKS)(';

const stories = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts') && name !== 'desks.test.ts')
  .map((name) => ({
    story: name.replace('.test.ts', ''),
    text: readFileSync(join(import.meta.dirname, name), 'utf8'),
  }));

/** The tests of a file that are on one desk. `test` is undefined if all of them are. */
function findOneDesk(story: string, text: string): { story: string; test?: string; desk: string }[] {
  const outermost = text.match(/^(?:test|describe)\S*/gm) ?? [];
  if (!outermost.every((call) => call.startsWith(ON_BOTH))) {
    const desks = new Set([...text.matchAll(/\bdesk: '(\w+)'/g)].map(([, desk = '']) => desk));
    return [...desks].map((desk) => ({ story, desk }));
  }
  const found = [...text.matchAll(/if \(desk === '(\w+)'\)\s+test\('([^']+)/g)];
  return found.map(([, desk = '', title = '']) => ({ story, test: title, desk }));
}

test('N-1: every story is on both desks, unless the table says why not', () => {
  const rows = stories.flatMap(({ story, text }) => findOneDesk(story, text));
  const matches = (row: (typeof rows)[number]) =>
    ONE_DESK.filter(
      ({ story, test: beginning, desk }) =>
        story === row.story &&
        desk === row.desk &&
        (row.test === undefined ? beginning === undefined : row.test.startsWith(beginning ?? '\0')),
    );
  expect(rows.filter((row) => matches(row).length !== 1)).toEqual([]);
  expect(ONE_DESK.filter((known) => !rows.some((row) => matches(row).includes(known)))).toEqual([]);
});

test('N-1: no story leaves a desk out in another way than the one that is looked for', () => {
  const ways = [
    /\.(?:runIf|skipIf|skip|only|todo)\b/g,
    /DESKS\s*[.[]/g,
    /\.each\(\[\s*'(?:App|Actions)'/g,
    // A condition about the desk around tests, in any other form than `if (desk === '…') test('…`.
    /if \((?!desk === '\w+'\)\s+test\(')[^\n]*\bdesk\b[^\n]*\)\s*\{?\s*(?:test|describe)\b/g,
    /\bdesk\b[^\n;]*[?&|]\s*(?:test|describe)\b/g,
  ];
  const found = stories.flatMap(({ story, text }) =>
    ways.flatMap((way) => (text.match(way) ?? []).map((words) => `${story}: ${words}`)),
  );
  expect(found).toEqual([]);
});
