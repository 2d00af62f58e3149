import { expect, test } from 'vitest';
import { lastWordsOf, tellingLine } from '../../../src/runner/output/last-words.ts';

test('T-2: the last words are the last lines that say something, without colours, and few', () => {
  expect(lastWordsOf('')).toBeUndefined();
  expect(lastWordsOf('\n \x1b[0m\n')).toBeUndefined();
  expect(lastWordsOf('\x1b[31mInvalid API key\x1b[0m · Please run /login\r\n\n')).toBe(
    'Invalid API key · Please run /login',
  );
  expect(lastWordsOf(Array.from({ length: 50 }, (_, n) => `line ${n}`).join('\n'))).toBe(
    'line 45\nline 46\nline 47\nline 48\nline 49',
  );
  expect(lastWordsOf('x'.repeat(100_000))?.length).toBe(600);
});

test('T-2: of several last words the line that names the error is told', () => {
  expect(tellingLine("error: unknown option '--foo'\n\nUsage: codex [OPTIONS]\nTry --help")).toBe(
    "error: unknown option '--foo'",
  );
  expect(tellingLine('Reading config\nboom')).toBe('boom');
});
