import { describe, expect, it } from 'vitest';
import { parseTerminalLine } from '../../src/commands/parse-line.ts';
import { expectLinear } from '../expect-linear.ts';

describe('a line typed at the prompt', () => {
  it.each([
    ['/continue +5', { name: 'continue', turns: 5, new_approach: false }],
    ['continue +5', { name: 'continue', turns: 5, new_approach: false }],
    ['con +5 new approach', { name: 'continue', turns: 5, new_approach: true }],
    ['prov a=1 b="x y"', { name: 'provide', inputs: { a: '1', b: 'x y' } }],
    ['/Canc.', { name: 'cancel' }],
    ['g > look at `x`', { name: 'guide', text: '> look at `x`' }],
    ['override alternative 2', { name: 'override', text: 'alternative 2' }],
    ['autobuild retry', { name: 'retry' }],
    ['/autobuild', { name: 'help' }],
    ['status?', { name: 'status' }],
  ])('%s', (line, command) => {
    expect(parseTerminalLine(line)).toEqual({ kind: 'command', command });
  });

  it('takes provide alone, because the prompt can ask for the values', () => {
    expect(parseTerminalLine('provide')).toEqual({
      kind: 'command',
      command: { name: 'provide', inputs: {} },
    });
  });

  it('does nothing for an empty line', () => {
    expect(parseTerminalLine('')).toEqual({ kind: 'ignore' });
    expect(parseTerminalLine(' \t')).toEqual({ kind: 'ignore' });
  });

  it('asks for more of a beginning that is not unique', () => {
    expect(parseTerminalLine('re')).toEqual({
      kind: 'reply',
      problem: '`re` could be `/retry` or `/review`: type more of it.',
    });
  });

  it('asks back after a slip, and points at help after anything else', () => {
    expect(parseTerminalLine('contineu')).toEqual({
      kind: 'reply',
      problem: '`contineu` is not a command. Did you mean this?',
      suggestion: '/continue',
    });
    expect(parseTerminalLine('frobnicate')).toEqual({
      kind: 'reply',
      problem: '`frobnicate` is not a command.',
      suggestion: '/help',
    });
    expect(parseTerminalLine('\u001b[A')).toMatchObject({ kind: 'reply', problem: 'That is not a command.' });
    expect(parseTerminalLine('/usr/bin')).toMatchObject({ kind: 'reply' });
    expect(parseTerminalLine('cancel please')).toMatchObject({ kind: 'reply', suggestion: '/cancel' });
  });

  it.each([' autobuild', 'x', ' ', '.', '/'])('reads a long line of %j in linear time', (part) => {
    const parse = (size: number) => void parseTerminalLine(part.repeat(size / part.length));
    expectLinear(parse, 16_000);
  });

  it('does not read a line longer than any comment', () => {
    expect(parseTerminalLine('x'.repeat(10_000_000))).toMatchObject({ problem: 'That line is too long.' });
  });
});
