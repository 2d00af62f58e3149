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

const CRASH = `/work/agent.mjs:3
throw new Error('EROFS: the real reason');
      ^

Error: EROFS: the real reason
    at file:///work/agent.mjs:3:7
    at ModuleJob.run (node:internal/modules/esm/module_job:437:25)
    at async node:internal/modules/esm/loader:639:26
    at async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:101:5)

Node.js v24.21.0
`;

test('T-2: the crash of a Node program is told by its error, not by the version of Node or a line of its source', () => {
  expect(lastWordsOf(CRASH)).toBe(
    "/work/agent.mjs:3\nthrow new Error('EROFS: the real reason');\n      ^\nError: EROFS: the real reason",
  );
  expect(tellingLine(lastWordsOf(CRASH) ?? '')).toBe('Error: EROFS: the real reason');
  const typed = CRASH.replaceAll('Error: EROFS: the', "TypeError [ERR_INVALID]: Cannot read 'x', the");
  expect(tellingLine(lastWordsOf(typed) ?? '')).toBe(
    "TypeError [ERR_INVALID]: Cannot read 'x', the real reason",
  );
});

test('T-2: the error is told also where much follows it, and the last one of several', () => {
  const details = `Error: first\nretrying\n${CRASH.replace('reason\n    at', "reason {\n  errno: -30,\n  code: 'EROFS',\n  syscall: 'open',\n  path: '/x',\n  more: 1\n}\n    at")}`;
  expect(lastWordsOf(details)).toBe(
    "Error: EROFS: the real reason {\n  syscall: 'open',\n  path: '/x',\n  more: 1\n}",
  );
  const usage = `codex: error: unknown option '--foo'\n${'  --other  may not be missing\n'.repeat(40)}`;
  expect(tellingLine(lastWordsOf(usage) ?? '')).toBe("codex: error: unknown option '--foo'");
  const long = `TypeError: ${'x'.repeat(2_000)}\n${'y'.repeat(500)}\n`.repeat(3);
  expect(lastWordsOf(long)?.length).toBe(600);
  expect(lastWordsOf('    at one\n    at two\n')).toBe('    at one\n    at two');
});
