import { expect, test } from 'vitest';
import { EMPTY_LINE, editLine, readKeys, textOf } from '../../../src/cli/terminal/line-editor.ts';

function type(text: string): { shown: string; keys: string[] } {
  let line = EMPTY_LINE;
  const keys: string[] = [];
  for (const each of readKeys(text).keys) {
    const edited = editLine(line, each);
    line = edited.line;
    if (edited.key) keys.push(edited.key);
  }
  const characters = [...line.characters];
  characters.splice(line.cursor, 0, '█');
  return { shown: characters.join(''), keys };
}

test('T-1: a line is edited as in a shell', () => {
  expect(type('abc\x7f').shown).toBe('ab█');
  expect(type('ac\x1b[Db').shown).toBe('ab█c');
  expect(type('abc\x1b[H\x1b[3~').shown).toBe('█bc');
  expect(type('one two\x17').shown).toBe('one █');
  expect(type('one two\x1b[D\x1b[D\x15').shown).toBe('█wo');
  expect(type('one\x01\x1b[C\x0b').shown).toBe('o█');
  expect(type('naïve 🎉日本\x7f').shown).toBe('naïve 🎉日█');
  expect(type('\x7f\x1b[D\x1b[3~\x04').shown).toBe('█');
  expect(type('/pause\r\x03').keys).toEqual(['enter', 'interrupt']);
});

test('T-1: a paste of several lines is one line, and no control character gets into a line', () => {
  expect(type('/guide \x1b[200~a\r\n/cancel\rb\x1b[201~')).toEqual({
    shown: '/guide a /cancel b█',
    keys: [],
  });
  expect(type('a\x1b[31mb\x00\x1b[5;9~c').shown).toBe('abc█');
});

test('T-1: a sequence or a paste that arrives in pieces is read when it is whole', () => {
  expect(readKeys('a\x1b')).toEqual({ keys: ['a'], rest: '\x1b' });
  expect(readKeys('a\x1b[1')).toEqual({ keys: ['a'], rest: '\x1b[1' });
  expect(readKeys('x\x1b[200~one\r').rest).toBe('\x1b[200~one\r');
  expect(readKeys(`\x1b[200~${'y'.repeat(300_000)}`).rest).toBe('');
  expect(textOf(editLine(EMPTY_LINE, `\x1b[200~${'z'.repeat(300_000)}\x1b[201~`).line)).toHaveLength(20_000);
});
