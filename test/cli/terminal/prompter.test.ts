import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createAnswerSource, readTyped } from '../../../src/cli/terminal/answer-source.ts';
import { createPrompter } from '../../../src/cli/terminal/prompter.ts';
import type { Escalation } from '../../../src/core/contracts/escalation.ts';

/** A terminal that holds what was typed until somebody reads. */
function openTerminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: () => input });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 160 });
  let shown = '';
  const lookers = new Set<() => void>();
  output.on('data', (chunk) => {
    shown += chunk;
    for (const look of lookers) look();
  });
  let interrupts = 0;
  const prompter = createPrompter(
    input as unknown as NodeJS.ReadStream,
    output as unknown as NodeJS.WriteStream,
    () => {
      interrupts += 1;
    },
  );
  return {
    input,
    output,
    prompter,
    shown: () => shown,
    interrupts: () => interrupts,
    showed: (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (shown.includes(text)) resolve();
        };
        lookers.add(look);
        look();
      }),
  };
}

test('E-10: lines and half a line typed before a question do not answer it, and it is said which', async () => {
  const { input, prompter, shown, showed } = openTerminal();
  input.write('/cancel\r/continue +3\r/acc');
  const answer = prompter.readLine('> ');
  await showed('> ');
  input.write('/review\r');
  expect(await answer).toBe('/review');
  expect(shown()).toContain('Ignored what was typed before the question: /cancel, /continue +3, /accept\n');
});

test('E-10: an answer typed after the question stands alone, for every question', async () => {
  const { input, prompter, shown, showed } = openTerminal();
  const first = prompter.readLine('first> ');
  await showed('first> ');
  input.write('/guide one\r');
  expect(await first).toBe('/guide one');
  expect(shown()).not.toContain('Ignored');
  input.write('/cancel\r');
  const second = prompter.readLine('second> ');
  await showed('second> ');
  input.write('/guide two\r');
  expect(await second).toBe('/guide two');
  expect(shown()).toContain('Ignored what was typed before the question: /cancel\n');
});

test('P-9: values and free text that were ignored are not shown', async () => {
  const { input, prompter, shown, showed } = openTerminal();
  input.write(
    '/provide token=hunter2\r/provide hunter2\rhunter2 is it\r/guide use hunter2\rhunter2\x1b]0;x\x07',
  );
  const answer = prompter.readLine('> ');
  await showed('> ');
  expect(shown()).toContain('/provide token=…, /provide …, text that is not a command, /guide …, text that');
  expect(shown()).not.toContain('hunter2');
  expect(shown()).not.toContain('\x1b]0;');
  input.write('/review\r');
  await answer;
});

test('P-9: of what was typed before a hidden question nothing is shown', async () => {
  const { input, prompter, shown, showed } = openTerminal();
  input.write('continue\r');
  const value = prompter.readHidden('Token: ');
  await showed('Token: ');
  input.write('s3cret\r');
  expect(await value).toBe('s3cret');
  expect(shown().split('\n')[0]).toBe('Ignored what was typed before the question');
  expect(shown()).not.toMatch(/continue|s3cret/);
});

test('E-10: a notice of a long paste is one line that fits', async () => {
  const { input, prompter, shown, showed } = openTerminal();
  input.write('/continue\r'.repeat(100_000));
  const answer = prompter.readLine('> ');
  await showed('> ');
  const [notice = ''] = shown().split('\n');
  expect(notice).toMatch(/^Ignored what was typed before the question: \/continue, .*…$/);
  expect(notice.length).toBeLessThanOrEqual(160);
  input.write('/review\r');
  expect(await answer).toBe('/review');
});

test('G-11: Ctrl-C at the very moment of the question is heard', async () => {
  const { input, prompter, interrupts } = openTerminal();
  input.write(`${'x'.repeat(10_000)}\x03`);
  expect(await prompter.readLine('> ')).toBeUndefined();
  expect(interrupts()).toBe(1);
});

test('E-10: a terminal that is closed, or given up, before the question gives no answer', async () => {
  const closed = openTerminal();
  closed.input.end('/continue\r');
  expect(await closed.prompter.readLine('> ')).toBeUndefined();
  const givenUp = openTerminal();
  const answer = givenUp.prompter.readLine('> ');
  givenUp.prompter.close();
  expect(await answer).toBeUndefined();
});

test('T-7: plain words are sent as guidance only after Enter; an empty line is nothing', async () => {
  for (const [key, sent] of [
    ['\r', true],
    ['\x1b', false],
    ['n', false],
  ] as const) {
    const { input, prompter, showed } = openTerminal();
    const answer = createAnswerSource([], prompter).next({ inputs: [] } as unknown as Escalation, new Set());
    await showed('> ');
    input.write('just use plus instead of minus\r');
    await showed('as guidance and continue?');
    input.write(key);
    expect(await answer).toEqual(
      sent
        ? {
            kind: 'command',
            command: { name: 'guide', text: 'just use plus instead of minus' },
            via: 'terminal',
          }
        : { kind: 'nothing' },
    );
  }
  expect(readTyped('  ')).toEqual({ kind: 'nothing' });
  expect(readTyped('contineu')).toMatchObject({ kind: 'problem', isPlain: false });
  expect(readTyped('/guied use plus')).toMatchObject({ kind: 'problem', isPlain: false });
});

test('a bare /provide where no value is asked for is left to the run, which says so', async () => {
  const { input, prompter, showed } = openTerminal();
  const answer = createAnswerSource([], prompter).next({ inputs: [] } as unknown as Escalation, new Set());
  await showed('> ');
  input.write('/provide\r');
  expect(await answer).toEqual({
    kind: 'command',
    command: { name: 'provide', inputs: {} },
    via: 'terminal',
  });
});

test('E-10: what is printed while a question waits stands above it, and half an answer stays', async () => {
  const { input, output, prompter, shown, showed } = openTerminal();
  const answer = prompter.readLine('> ');
  await showed('> ');
  input.write('/guide use');
  await showed('/guide use');
  const before = shown().length;
  prompter.above(() => void output.write('reminder 1\n'));
  expect(shown().slice(before)).toMatch(/^\r\x1b\[Jreminder 1\n.*> \/guide use/s);
  input.write(' plus\r');
  expect(await answer).toBe('/guide use plus');
});

test('P-9: what is printed while a secret is typed does not show it', async () => {
  const { input, output, prompter, shown, showed } = openTerminal();
  const value = prompter.readHidden('Token: ');
  await showed('Token: ');
  input.write('s3c');
  const before = shown().length;
  prompter.above(() => void output.write('reminder 1\n'));
  expect(shown().slice(before)).toBe('\r\x1b[Jreminder 1\nToken: ');
  input.write('ret\r');
  expect(await value).toBe('s3cret');
});
