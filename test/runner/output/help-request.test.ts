import { describe, expect, it } from 'vitest';
import { parseHelpRequest } from '../../../src/runner/output/help-request.ts';
import { expectLinear } from '../../expect-linear.ts';

const parse = (text: string) => parseHelpRequest({ text, closed: true });
const problemOf = (text: string, closed = true) => {
  const parsed = parseHelpRequest({ text, closed });
  if (parsed.ok) throw new Error(`read as ${JSON.stringify(parsed.request)}`);
  expect(parsed.raw).toBe(text);
  return parsed.problem;
};
const minimal = 'what_i_tried: all\nwhat_i_need: a key\n';
const request = { what_i_tried: 'all', what_i_need: 'a key', inputs: [] };

describe('parseHelpRequest', () => {
  it('P-1: reads what was tried, what is needed and the inputs', () => {
    const text = `
what_i_tried: |
  Looked in .env: nothing.
  Asked the docs.
what_i_need: the staging key
inputs:
  - key: API_KEY
    label: Key for staging
    secret: true
  - key: region
`;
    expect(parse(text)).toEqual({
      ok: true,
      request: {
        what_i_tried: 'Looked in .env: nothing.\nAsked the docs.',
        what_i_need: 'the staging key',
        inputs: [
          { key: 'API_KEY', label: 'Key for staging', secret: true },
          { key: 'region', label: 'region', secret: false },
        ],
      },
    });
  });

  it.each([
    ['indented as a whole', '\n    what_i_tried: all\n    what_i_need: a key\n  '],
    ['begun on the line of the marker', ' what_i_tried: all\n   what_i_need: a key'],
    ['with Windows line ends', '\r\nwhat_i_tried: all\r\nwhat_i_need: a key\r\n'],
    ['in a code fence', '\n```yaml\nwhat_i_tried: all\nwhat_i_need: a key\n```\n'],
    ['escaped by a JSON text around it', '\\nwhat_i_tried: all\\nwhat_i_need: \\"a key\\"\\n'],
    ['escaped twice', '\\\\nwhat_i_tried: all\\\\nwhat_i_need: a key\\\\n'],
    ['with an empty list of inputs', `${minimal}inputs: []`],
    ['with inputs left empty', `${minimal}inputs:\n`],
  ])('P-1: reads a block %s', (_, text) => {
    expect(parse(text)).toEqual({ ok: true, request });
  });

  it('P-1: takes a list of what was tried, also where YAML sees a mapping in it', () => {
    const parsed = parse('what_i_tried:\n  - npm ci\n  - ran the tests: 2 failed\nwhat_i_need: 8080');
    expect(parsed).toEqual({
      ok: true,
      request: { what_i_tried: 'npm ci\nran the tests: 2 failed', what_i_need: '8080', inputs: [] },
    });
  });

  it.each([
    [
      'a missing field',
      'what_i_tried: all\nwhy: x',
      /"what_i_need" is missing \(found: what_i_tried, why\).*Add/,
    ],
    ['an empty field', 'what_i_tried: \nwhat_i_need: x', /"what_i_tried" is empty.*Add/],
    ['nothing', '   \n ', /holds nothing, not a mapping.*Write/],
    ['a list', '- a\n- b', /holds a list, not a mapping/],
    ['a sentence', 'I need a key', /holds the text "I need a key", not a mapping/],
    ['a tab', 'what_i_tried: all\nwhat_i_need:\n\t- x', /Line 3, column 1 .*Tabs.*spaces/],
    ['a key twice', `${minimal}what_i_need: other`, /Line 3 repeats the key "what_i_need"/],
    ['a colon in plain text', 'what_i_tried: I ran: all', /Line 1, column 15 .*quotes/],
    ['an open quote', 'what_i_tried: "all\nwhat_i_need: x', /is not valid YAML.*quote/],
    ['two documents', `${minimal}---\na: b`, /Line 3.*without "---"/],
    ['a key that is no text', `${minimal}? [a]\n: b`, /key that is not text/],
    ['an alias', 'what_i_tried: &a x\nwhat_i_need: *a', /Line 2 has the alias "\*a".*write the value out/],
    ['inputs that are no list', `${minimal}inputs: API_KEY`, /"inputs" holds the text "API_KEY", not a list/],
    ['an input without a key', `${minimal}inputs:\n - label: x`, /"inputs\[0\].key" is missing/],
    ['a key with spaces', `${minimal}inputs:\n - key: a b`, /"inputs\[0\].key" is "a b".*letters/],
    ['a key every object has', `${minimal}inputs:\n - key: __proto__`, /"inputs\[0\].key" is "__proto__"/],
    ['the same input twice', `${minimal}inputs:\n - key: a\n - key: a`, /"inputs" has the key "a" twice/],
    [
      'an unclear secret',
      `${minimal}inputs:\n - {key: a, secret: maybe}`,
      /"inputs\[0\].secret" is "maybe".*true or false/,
    ],
    ['too many inputs', `${minimal}inputs:\n${' - k\n'.repeat(21)}`, /lists 21 values, at most 20/],
  ])('P-1: says what is wrong with %s, and keeps the text', (_, text, problem) => {
    expect(problemOf(text)).toMatch(problem);
  });

  it('P-1: does not trust a block without an end', () => {
    expect(problemOf(minimal, false)).toMatch(/not closed.*<<<END_HELP>>>/);
  });

  it('P-1: refuses an alias bomb at once', () => {
    const refuse = (levels: number) => {
      const list = Array.from({ length: levels }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}, *l${n}]`);
      expect(problemOf(`l0: &l0 x\n${list.join('\n')}\n${minimal}`)).toMatch(/alias/);
    };
    // Written out, each level would double the work.
    expectLinear(refuse, 6);
  });

  it('P-1: refuses a block that is too large', () => {
    const text = `what_i_tried: ${'x'.repeat(70_000)}`;
    expect(problemOf(text)).toMatch(/70014 characters, at most 65536/);
  });

  it.each([
    ['deep lists', (size: number) => '['.repeat(size), /YAML/],
    ['deep mappings', (size: number) => '{a: '.repeat(size / 4), /YAML/],
    [
      'many keys',
      (size: number) => Array.from({ length: size / 8 }, (_, n) => `k${n}:`).join('\n'),
      /"what_i_tried" is missing/,
    ],
  ])('P-1: survives a hostile block, in linear time: %s', (_, textOf, problem) => {
    expectLinear((size) => expect(problemOf(textOf(size))).toMatch(problem), 16_000);
  });
});
