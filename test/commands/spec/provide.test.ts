import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseComment } from '../../../src/commands/parse-comment.ts';

function quoteText(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}

function inputsOf(text: string): Record<string, string> {
  const parsed = parseComment(text);
  if (parsed.kind !== 'command' || parsed.command.name !== 'provide')
    throw new Error(`not taken: ${JSON.stringify(parsed)}`);
  return parsed.command.inputs;
}

function replyTo(text: string) {
  const parsed = parseComment(text);
  if (parsed.kind !== 'reply') throw new Error(`no reply: ${JSON.stringify(parsed)}`);
  return parsed;
}

describe('/provide', () => {
  it('P-5: takes several values at once, quoted or not', () => {
    expect(inputsOf(`/provide a=1 b="two words" c='it is' d.e-f=x`)).toEqual({
      a: '1',
      b: 'two words',
      c: 'it is',
      'd.e-f': 'x',
    });
  });

  it('P-5: takes a multi-line value from a fenced block, exactly', () => {
    expect(inputsOf('/provide key=\n```pem\n-----BEGIN-----\n  a\\*b  \n\n-----END-----\n```')).toEqual({
      key: '-----BEGIN-----\n  a\\*b  \n\n-----END-----',
    });
    expect(inputsOf('/provide a=\r\n```\r\n1\r\n2\r\n```\r\nb=\r\n\r\n~~~\r\n3\r\n~~~\r\n')).toEqual({
      a: '1\n2',
      b: '3',
    });
    expect(inputsOf('/provide x=1 a=\n````\n```\n/cancel\n```\n````')).toEqual({
      x: '1',
      a: '```\n/cancel\n```',
    });
  });

  it('P-5: takes values from the lines below, and from a second /provide', () => {
    expect(inputsOf('/provide\na=1\nb=2\n\nThank you!')).toEqual({ a: '1', b: '2' });
    expect(inputsOf('/provide a=1\n/provide b=2')).toEqual({ a: '1', b: '2' });
  });

  it.each([
    ['stars and underscores', '*a*_b_**c**'],
    ['backslashes', '\\*\\_a\\b'],
    ['entities', '&amp;&lt;&#65;'],
    ['an address', 'https://x.y/?a=b&c=<d>'],
    ['an e-mail address', '<a@b.c>'],
    ['HTML', '<b>x</b>'],
    ['brackets', '[a](b)![c]'],
    ['equal signs', 'YWJj=='],
    ['a comma at the end', 'a,'],
    ['a curly quote inside', 'it’s'],
  ])('does not let markdown change %s', (_, value) => {
    expect(inputsOf(`/provide key=${value}`)).toEqual({ key: value });
    expect(inputsOf(`/provide key="${value.replaceAll('\\', '\\\\')}"`)).toEqual({ key: value });
  });

  it('gives back any value that was quoted', () => {
    const value = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 60 })
      .filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(value, (text) => {
        fc.pre(!/<!--\s*autobuild:/i.test(text));
        expect(inputsOf(`/provide key=${quoteText(text)} other=1`)).toEqual({ key: text, other: '1' });
      }),
      { numRuns: 1000 },
    );
  });

  it('escapes only quotes and backslashes', () => {
    expect(inputsOf(String.raw`/provide a="say \"hi\"" b="C:\new\\x" c='it\'s'`)).toEqual({
      a: 'say "hi"',
      b: String.raw`C:\new\x`,
      c: "it's",
    });
  });

  it('understands curly quotes as quotes', () => {
    expect(inputsOf('/provide a=“two words” b=‘three more words’ c=„unten“')).toEqual({
      a: 'two words',
      b: 'three more words',
      c: 'unten',
    });
  });

  it('understands non-breaking spaces between values', () => {
    expect(inputsOf('/provide\u00a0a=1\u00a0b=2')).toEqual({ a: '1', b: '2' });
  });

  it.each([
    ['no value at all', '/provide', 'at least one value', '/provide key=value …'],
    ['an empty value', '/provide key=', 'has no value', '/provide key='],
    ['an empty quoted value', '/provide key=""', 'has no value', '/provide key='],
    ['an empty block', '/provide key=\n```\n```', 'has no value', '/provide key='],
    ['an empty value before another', '/provide key= b=SECRET', 'has no value', '/provide key='],
    ['an empty value before prose', '/provide key=\n\nSECRET', 'has no value', '/provide key='],
    [
      'an empty value before an indented block',
      '/provide key=\n\n    SECRET',
      'has no value',
      '/provide key=',
    ],
    ['spaces around =', '/provide key = SECRET', 'Leave out the spaces', '/provide key='],
    ['a space after =', '/provide key= SECRET', 'Leave out the spaces', '/provide key='],
    ['a space before =', '/provide key =SECRET', 'Leave out the spaces', '/provide key='],
    ['the same key twice', '/provide key=SECRET key=SECRET', 'twice', '/provide key='],
    [
      'the same key twice, once in a block',
      '/provide key=SECRET key=\n```\nSECRET\n```',
      'twice',
      '/provide key=',
    ],
    ['a word without =', '/provide key=a SECRET', 'no `=`', '/provide key='],
    ['a word alone', '/provide SECRET', 'no `=`', '/provide key=value …'],
    ['an impossible key', '/provide 1SECRET=x', 'keys is invalid', '/provide key=value …'],
    ['a reserved key', '/provide __proto__=x', 'keys is invalid', '/provide key=value …'],
    ['an open quote', '/provide key="SECRET', 'not closed', '/provide key='],
    ['an open quote over lines', '/provide key="SECRET\nSECRET"', 'not closed', '/provide key='],
    ['text after a quote', '/provide key="SECRET"SECRET', 'closing quote', '/provide key='],
    ['backticks', '/provide key=`SECRET`', 'backtick', '/provide key='],
    ['a comma between values', '/provide key=SECRET, b=SECRET', 'comma', '/provide key='],
    ['an invisible character', '/provide key=SEC\u200bRET', 'invisible', '/provide key='],
    ['a block that is not closed', '/provide key=\n```\nSECRET', 'not closed', '/provide key='],
  ])('replies to %s without repeating a value', (_, text, problem, suggestion) => {
    const reply = replyTo(text);
    expect(reply.problem).toContain(problem);
    expect(reply.suggestion).toBe(suggestion);
    expect(JSON.stringify(reply)).not.toContain('SECRET');
  });

  it('takes 100 values and no more', () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, n) => `k${n}=${n}`).join(' ');
    expect(Object.keys(inputsOf(`/provide ${pairs(100)}`))).toHaveLength(100);
    expect(replyTo(`/provide ${pairs(101)}`).problem).toContain('100');
  });
});
