import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askLine } from '../../../src/cli/init/ask-line.ts';

test('gives the line, or nothing where the question was left', async () => {
  const answered = new PassThrough();
  const shown = new PassThrough();
  const line = askLine('Which? ', answered, shown);
  answered.write('codex\n');
  expect(await line).toBe('codex');
  expect(shown.read()?.toString()).toContain('Which? ');
  const left = new PassThrough();
  const nothing = askLine('Which? ', left, new PassThrough());
  left.end();
  expect(await nothing).toBeUndefined();
});

test('Ctrl-C and Ctrl-D at a terminal leave the question', async () => {
  for (const key of ['\u0003', '\u0004']) {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const nothing = askLine('Which? ', input, output);
    input.write(key);
    expect(await nothing).toBeUndefined();
  }
});
