import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createAskLine } from '../../../src/cli/init/ask-line.ts';

test('gives the line, or nothing where the question was left', async () => {
  const answered = new PassThrough();
  const shown = new PassThrough();
  const line = createAskLine(answered, shown)('Which? ');
  answered.write('codex\n');
  expect(await line).toBe('codex');
  expect(shown.read()?.toString()).toContain('Which? ');
  const left = new PassThrough();
  const nothing = createAskLine(left, new PassThrough())('Which? ');
  left.end();
  expect(await nothing).toBeUndefined();
});

test('Ctrl-C and Ctrl-D at a terminal leave the question', async () => {
  for (const key of ['\u0003', '\u0004']) {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const nothing = createAskLine(input, output)('Which? ');
    input.write(key);
    expect(await nothing).toBeUndefined();
  }
});

test('N-1: what is typed ahead of a question answers it, whole lines and the beginning of one', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const ask = createAskLine(input, output);
  const first = ask('Which? ');
  input.write('codex\nno\nye');
  expect(await first).toBe('codex');
  expect(await ask('Sure? ')).toBe('no');
  expect(output.read()?.toString()).toContain('Sure? no\n');
  const last = ask('Really? ');
  input.write('s\n');
  expect(await last).toBe('yes');
});
