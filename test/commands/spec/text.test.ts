import { describe, expect, it } from 'vitest';
import { parseComment } from '../../../src/commands/parse-comment.ts';

describe('/guide and /override', () => {
  it('takes the rest of the comment as readers see it, fenced blocks included', () => {
    const text = 'Use *this* \\_ form:\n\n```ts\nconst a = `<!-- x -->`;\n```\n\n> not /that\n\n- one\n- two';
    const shown = text.replace('\\_', '_');
    expect(parseComment(`Hello\n\n/guide ${text}\n`)).toEqual({
      kind: 'command',
      command: { name: 'guide', text: shown },
    });
    expect(parseComment(`/override\n\n${text}`)).toEqual({
      kind: 'command',
      command: { name: 'override', text: shown },
    });
    expect(parseComment(`/guide ${text}`, { isOwn: true })).toEqual({
      kind: 'command',
      command: { name: 'guide', text },
    });
  });

  it('keeps "alternative 2" for the rules to look up', () => {
    expect(parseComment('/override alternative 2')).toEqual({
      kind: 'command',
      command: { name: 'override', text: 'alternative 2' },
    });
  });

  it('is not disturbed by paths, or by words that only look like commands', () => {
    const text = 'Look at\n/usr/bin/env\n/stats\nand go on';
    expect(parseComment(`/guide ${text}`)).toEqual({ kind: 'command', command: { name: 'guide', text } });
  });

  it('asks for the text when there is none', () => {
    expect(parseComment('/guide')).toMatchObject({ kind: 'reply', suggestion: '/guide <text>' });
    expect(parseComment('/override \n\n ')).toMatchObject({ kind: 'reply', suggestion: '/override <text>' });
  });
});
