import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteShellWords, splitShellWords, unwrapShell } from '../../src/agents/shell-words.ts';

const WORDS = ['a b', "it's", '"$HOME"', '`id`', '\\', '', 'x\ny', '*'];

test('quoted words come out of sh as they went in', () => {
  const line = `for word in ${quoteShellWords(WORDS)}; do printf '%s\\0' "$word"; done`;
  expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(WORDS);
  expect(splitShellWords(quoteShellWords(WORDS))).toEqual(WORDS);
});

test('words are split as sh would', () => {
  expect(splitShellWords(`a "b \\"c\\" \\$d" e\\ f'g'"h" ''`)).toEqual(['a', 'b "c" $d', 'e fgh', '']);
  expect(splitShellWords(`a 'b`)).toBeUndefined();
  expect(splitShellWords('')).toEqual([]);
});

test('a command is taken out of the shell around it, and only then', () => {
  expect(unwrapShell(`/bin/bash -lc 'npm test'`)).toBe('npm test');
  expect(unwrapShell('/bin/bash -lc ls')).toBe('ls');
  expect(unwrapShell(`bash -c "echo 'x'"`)).toBe(`echo 'x'`);
  for (const line of ['npm test', `bash script.sh -c 'x'`, `bash -lc 'a' b`, `bash -lc 'open`]) {
    expect(unwrapShell(line)).toBe(line);
  }
});
