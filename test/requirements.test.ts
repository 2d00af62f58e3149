import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

function requirements(): { id: string; due: string }[] {
  const rows = readFileSync(join(root, 'docs/requirements.md'), 'utf8').matchAll(
    /^\| ([A-Z]-\d+) \| .+ \| (now|later) \|$/gm,
  );
  return [...rows].map(([, id = '', due = '']) => ({ id, due }));
}

/** Ids at the beginning of a string in a test file: titles, also those kept in tables. */
function titledIds(): Set<string> {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.test.ts') && file !== 'requirements.test.ts');
  const ids = sources.flatMap((file) =>
    [...readFileSync(join(root, 'test', file), 'utf8').matchAll(/['"`]([A-Z]-\d+): /g)].map(([, id]) => id),
  );
  return new Set(ids.filter((id) => id !== undefined));
}

test('every requirement that is due has a test whose title starts with its id', () => {
  const titled = titledIds();
  const missing = requirements().filter(({ id, due }) => due === 'now' && !titled.has(id));
  expect(missing.map(({ id }) => id)).toEqual([]);
});

test('the requirements are all there, each once', () => {
  const count = { B: 8, K: 10, G: 13, P: 11, E: 19, C: 6, R: 15 };
  const wanted = Object.entries(count).flatMap(([letter, last]) =>
    Array.from({ length: last }, (_, index) => `${letter}-${index + 1}`),
  );
  expect(requirements().map(({ id }) => id)).toEqual(wanted);
});
