import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as zod from 'zod';
import * as lazy from '../../scripts/lazy-zod.ts';

type Zod = Pick<
  typeof zod,
  'array' | 'discriminatedUnion' | 'enum' | 'iso' | 'literal' | 'object' | 'string'
>;

/** A schema with most of the ways in which one is made of others. */
function makeSchema(z: Zod) {
  const At = z.iso.datetime().optional();
  const Part = z.object({ type: z.literal('part'), name: z.string().min(1).max(9).trim(), at: At });
  const Other = Part.extend({ type: z.literal('other'), of: z.enum(['a', 'b']).catch('a') }).omit({
    at: true,
  });
  const Length = z.string().transform((text) => text.length);
  const parts = z.array(z.discriminatedUnion('type', [Part, Other])).default([]);
  return z.object({ parts, told: Length.or(At), name: Part.shape.name.nullish() });
}

test.each([
  { parts: [{ type: 'part', name: ' x ', at: '2026-01-02T00:00:00Z' }], told: 'four' },
  { parts: [{ type: 'other', name: 'x', of: 'c' }] },
  { told: 'x', name: null },
  { parts: [{ type: 'part', name: '' }], told: 3 },
  { parts: [{ type: 'neither' }] },
  undefined,
])('the bundle’s schemas accept, change and refuse what zod’s do: %j', (value) => {
  const read = makeSchema(lazy).safeParse(value);
  const expected = makeSchema(zod).safeParse(value);
  expect([read.success, read.data, read.error?.issues]).toEqual([
    expected.success,
    expected.data,
    expected.error?.issues,
  ]);
});

test('a schema is made when it is first used', () => {
  const wrong = undefined as never;
  expect(() => zod.enum(wrong).optional()).toThrow(TypeError);
  const schema = lazy.enum(wrong).optional();
  expect(() => schema.safeParse('x')).toThrow(TypeError);
});

test('whatever makes a schema in the files of a job is recorded', () => {
  const root = join(import.meta.dirname, '../..');
  const files = globSync('src/{core,guards,agents,config,runner,action,link}/**/*.ts', { cwd: root });
  const text = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const called = new Set([...text.matchAll(/\bz\.([\w.]+)\(/g)].map(([, name = '']) => name));
  /** They make no schema. */
  for (const name of ['prettifyError', 'toJSONSchema']) called.delete(name);
  const find = (module: object, name: string) =>
    name.split('.').reduce<unknown>((of, part) => (of as Record<string, unknown>)?.[part], module);
  expect(called.size).toBeGreaterThan(10);
  expect([...called].filter((name) => find(lazy, name) === find(zod, name))).toEqual([]);
});
