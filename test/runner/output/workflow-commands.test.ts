import { describe, expect, test } from 'vitest';
import { createActionLog, formatOutput } from '../../../src/runner/output/workflow-commands.ts';
import { type HeardCommand, listenAsRunner } from '../../action/actions-runner.ts';

function record() {
  let out = '';
  let words = 0;
  const log = createActionLog(
    (text) => {
      out += text;
    },
    () => {
      words += 1;
      return `word${words}`.padEnd(32, 'x');
    },
  );
  return { log, out: () => out };
}

/** Only what is not about listening itself. */
const heard = (out: string): HeardCommand[] => listenAsRunner(out).commands;

describe('S-10: what the agent prints is never a command', () => {
  test.each([
    ['plain', '::set-output name=x::1'],
    ['after blanks', '   \t ::add-mask::secret'],
    ['after a blank of another alphabet', '\u3000\u00a0::error::x'],
    ['legacy', '##[set-env name=PATH;]/evil'],
    ['legacy in the middle', 'all is well ##[add-path]/evil'],
    ['legacy with more hashes', '####[error]x'],
    ['legacy behind a hidden character', '##\u200b[error]x'],
    ['legacy behind a control character', '##\u0007[error]x'],
    ['after a carriage return', 'working\r::set-env name=NODE_OPTIONS::--require=/evil'],
    ['after a form feed', 'working\f::warning::x'],
    ['after a line separator', 'working\u2028::warning::x'],
    ['after an escape sequence', '\u001b[2K::warning::x'],
    ['listening again, with a guess', '::word1xxxxxxxxxxxxxxxxxxxxxxxxxxx::\n::error::x'],
    ['stopping us', '::stop-commands::mine'],
    ['a byte order mark', '\ufeff::error::x'],
    ['a group', '::group::x\n##[group]y'],
  ])('%s', (_, text) => {
    const { log, out } = record();
    log.print(text);
    log.print(`${text}\n`);
    expect(heard(out())).toEqual([]);
    // Neither wall leans on the other: also without the word, no line is a command.
    const lines = out().split('\n').slice(1).join('\n');
    expect(heard(lines)).toEqual([]);
  });

  test('the reader that finds nothing there does find commands', () => {
    const text = '  ::error title=a::b\nx ##[warning]y\n::stop-commands::w\n::error::no\n::w::\n::debug::yes';
    expect(heard(text)).toEqual([
      { name: 'error', data: 'b' },
      { name: 'warning', data: 'y' },
      { name: 'debug', data: 'yes' },
    ]);
  });
});

test('our own commands are heard, also between lines of the agent', () => {
  const { log, out } = record();
  log.group('Turn 1');
  log.print('::error::not me');
  log.group('Turn 2\n::error::nor me');
  log.annotate('warning', 'two\nlines 100%');
  log.endGroup();
  log.endGroup();
  log.close();
  expect(heard(out())).toEqual([
    { name: 'group', data: 'Turn 1' },
    { name: 'endgroup', data: '' },
    { name: 'group', data: 'Turn 2 ::error::nor me' },
    { name: 'warning', data: 'two\nlines 100%' },
    { name: 'endgroup', data: '' },
  ]);
  // The steps after this one are listened to again.
  expect(heard(`${out()}::error::of the next step`).at(-1)).toEqual({
    name: 'error',
    data: 'of the next step',
  });
});

test('S-13: a value is hidden in its usual forms, line by line, and never printed in clear', () => {
  const { log, out } = record();
  const value = 'pass"word/1\nsecond line';
  log.mask(value);
  log.mask('abc');
  const masks = heard(out()).map(({ name, data }) => `${name} ${data}`);
  for (const form of [
    'pass"word/1',
    'second line',
    'pass\\"word/1',
    encodeURIComponent('pass"word/1'),
    Buffer.from('pass"word/1').toString('base64'),
    Buffer.from(value).toString('base64'),
  ])
    expect(masks).toContain(`add-mask ${form}`);
  expect(masks).not.toContain('add-mask abc');
  expect(listenAsRunner(out()).shown).not.toContain('pass');
});

test('the log is bounded: long lines are cut, and at some point it is full', () => {
  const { log, out } = record();
  log.print('x'.repeat(100_000));
  expect(out().length).toBeLessThan(5_000);
  const line = `${'y'.repeat(4_000)}\n`.repeat(100);
  for (let at = 0; at < 200; at += 1) log.print(line);
  expect(out().length).toBeLessThan(22 * 1024 * 1024);
  expect(out()).toContain('The rest is not shown');
});

test('an output cannot break out of its block', () => {
  const text = formatOutput('status', 'done\nword\nevil=1', 'word');
  expect(text).toBe('status<<word\ndone  evil=1\nword\n');
});

test('S-13: a masked value is in no line, notice, title or text for elsewhere, however it is written', () => {
  const { log, out } = record();
  log.mask('hunter2-of-the-shop');
  const dump = Buffer.from('hunter2-of-the-shop')
    .toString('hex')
    .replace(/..(?=.)/g, '$& ');
  const masks = out().length;
  log.print(`dump: ${dump}`);
  log.annotate('notice', `The file hunter2-of-the-shop/${dump} is left out.`);
  log.group(`Check: cat ${dump}`);
  const printed = out().slice(masks);
  expect(printed).not.toContain(dump.slice(0, 20));
  expect(printed).not.toContain('hunter2');
  expect(printed).toContain('dump: •••');
  expect(log.hide(`- \`${dump}\``)).toBe('- `•••`');
});
