import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

test('what people do in a browser is tested in one', () => {
  const folder = join(root, 'test/browser');
  const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const missing = ['P-6', 'P-9', 'P-10', 'E-17'].filter(
    (id) => !sources.some((source) => new RegExp(`['"\`]${id}: `).test(source)),
  );
  expect(missing).toEqual([]);
});

test('the requirements are all there, each once', () => {
  const count = { B: 8, K: 10, G: 13, P: 11, E: 19, C: 6, R: 15, T: 8, N: 4, V: 9 };
  const wanted = Object.entries(count).flatMap(([letter, last]) =>
    Array.from({ length: last }, (_, index) => `${letter}-${index + 1}`),
  );
  const ids = requirements().map(({ id }) => id);
  expect(ids.filter((id) => !id.startsWith('S-'))).toEqual(wanted);
  // Threats have the numbers that tests gave them, and not every number has a row.
  expect(new Set(ids).size).toBe(ids.length);
});

/** The first cells of the table of threats. */
function threats(): string[] {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const table = text.slice(text.indexOf('| threat | answer |')).split('\n\n')[0] ?? '';
  return [...table.matchAll(/^\| (.+?) \| /gm)].map(([, threat = '']) => threat).slice(1);
}

test('every row of SECURITY.md has its tests, and they are there', () => {
  const text = readFileSync(join(root, 'docs/requirements.md'), 'utf8');
  const proofs = text.slice(text.indexOf('## SECURITY.md, sentence by sentence'));
  const rows = new Set([...proofs.matchAll(/^\| (.+?) \| .+ \| [A-Z]-\d+ `/gm)].map(([, row]) => row));
  expect(threats().length).toBeGreaterThan(15);
  expect([...rows].toSorted()).toEqual(threats().toSorted());
  expect(unproven(proofs)).toEqual([]);
});

/** Tests that a text names, by id and file, and that are not there. */
function unproven(text: string): string[] {
  const named = [...text.matchAll(/([A-Z]-\d+) `([\w./-]+)`/g)];
  const missing = named.filter(([, id, file]) => {
    const path = join(root, 'test', `${file}.test.ts`);
    return !existsSync(path) || !new RegExp(`['"\`]${id}: `).test(readFileSync(path, 'utf8'));
  });
  return missing.map(([name]) => name);
}

test('every input of a review round has its tests, and they are there', () => {
  const text = readFileSync(join(root, 'docs/requirements.md'), 'utf8');
  const inputs = text.slice(text.indexOf('## Review rounds, input by input')).split('\n## ')[0] ?? '';
  const rows = [...inputs.matchAll(/^\| (.+?) \| [A-Z]-\d+ `/gm)];
  expect(rows.length).toBeGreaterThan(10);
  expect(unproven(inputs)).toEqual([]);
});
