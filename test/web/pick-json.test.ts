import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createJsonPicker } from '../../src/web/pick-json.ts';

const pick = createJsonPicker({ id: true, ref: true, head: { ref: true, repo: { id: true } } });
const pickText = (text: string) => pick(Buffer.from(text));

/** What `JSON.parse` finds in the same places, without what is not there. */
function expected(value: Record<string, unknown>): unknown {
  const inner = (given: unknown): Record<string, unknown> | undefined =>
    typeof given === 'object' && given !== null && !Array.isArray(given)
      ? (given as Record<string, unknown>)
      : undefined;
  const head = inner(value.head);
  const repo = inner(head?.repo);
  return { id: value.id, ref: value.ref, head: head && { ref: head.ref, repo: repo && { id: repo.id } } };
}

/** Long values, lists and objects are not looked at, so none of them stands where a value is picked. */
const leaf = fc.oneof(
  fc.string({ maxLength: 30, unit: 'binary' }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const noise = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 });
const repo = fc.oneof(fc.record({ id: leaf }, { requiredKeys: [] }), leaf, fc.constant([{ id: 1 }]));
const head = fc.oneof(fc.record({ ref: leaf, repo }, { requiredKeys: [] }), leaf);
const object = fc
  .tuple(noise, fc.record({ id: leaf, ref: leaf, head, comment: noise }, { requiredKeys: [] }), noise)
  .map(([before, wanted, after]) => JSON.parse(JSON.stringify({ ...before, ...after, ...wanted })))
  .filter((value) => expectedOnly(value));

/** Noise may have made one of the names by chance, with something within. */
function expectedOnly(value: Record<string, unknown>): boolean {
  return ['id', 'ref'].every((name) => typeof value[name] !== 'object' || value[name] === null);
}

test.each([undefined, 1, '\t'])('it finds what JSON.parse finds, indented by %j', (indent) => {
  fc.assert(
    fc.property(object, (value) => {
      expect(pickText(JSON.stringify(value, null, indent))).toEqual(expected(value));
    }),
  );
});

test('what is cut off anywhere is no object', () => {
  fc.assert(
    fc.property(object, fc.nat(), (value, cut) => {
      const bytes = Buffer.from(JSON.stringify(value));
      expect(pick(bytes.subarray(0, cut % bytes.length))).toBeUndefined();
    }),
  );
});

describe('what people write is not taken for the structure', () => {
  test.each([
    ['a text that looks like a member', '{"body":"\\"id\\":666,","id":7}'],
    ['a text that ends with backslashes', '{"body":"\\\\\\\\","id":7}'],
    ['a text of an escaped quote', '{"body":"\\\\\\"","id":7}'],
    ['brackets within a text', '{"body":{"x":"}]{["},"id":7}'],
    ['the name deeper down', '{"comment":{"id":666,"list":[{"id":666}]},"id":7}'],
    ['the name twice: the last one counts', '{"id":666,"id":7}'],
    ['space around everything', ' \r\n{ "id" :\t7 }\n'],
  ])('%s', (_, text) => {
    expect(pickText(text)).toEqual({ id: 7 });
    expect(JSON.parse(text).id).toBe(7);
  });
});

test.each([
  '',
  ' ',
  '[]',
  '"{}"',
  'null',
  'payload=%7B%7D',
  '{',
  '{}x',
  '{}{}',
  '{"id"}',
  '{"id":}',
  '{"id":7,}',
  '{"id":7 "ref":1}',
  '{id:7}',
  '{"id":seven}',
  '\ufeff{"id":7}',
])('%j is no object', (text) => {
  expect(pickText(text)).toBeUndefined();
});

test('a value that is too long to be one of these is left out', () => {
  expect(pickText(JSON.stringify({ ref: 'x'.repeat(5000), id: 7 }))).toEqual({ ref: undefined, id: 7 });
});

test('S-18: nesting of any depth is passed over', () => {
  const deep = `{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)},"id":7}`;
  expect(pickText(deep)).toEqual({ id: 7 });
});
