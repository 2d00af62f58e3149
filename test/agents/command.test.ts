import { describe, expect, test } from 'vitest';
import { commandAgent } from '../../src/agents/command.ts';
import { variableName } from '../../src/agents/turn-environment.ts';

const FILES = { prompt: '/p', context: '/c', inputs: '/i', report: '/r', gate: '/g' };

function start(inputs: Record<string, string> = {}) {
  return commandAgent('mine', ['./agent.sh', '--fast']).start({
    prompt: 'Build it',
    instructions: 'Ask for help',
    cwd: '/w',
    files: FILES,
    inputs,
    home: '/h',
    newSession: 's',
    hook: [],
  });
}

describe('any program as an agent', () => {
  test('the prompt comes on stdin, the files by environment', () => {
    expect(start()).toEqual({
      argv: ['./agent.sh', '--fast'],
      stdin: 'Build it\nAsk for help',
      env: {
        AUTOBUILD_PROMPT: '/p',
        AUTOBUILD_CONTEXT: '/c',
        AUTOBUILD_INPUTS: '/i',
        AUTOBUILD_REPORT: '/r',
        AUTOBUILD_GATE: '/g',
      },
    });
  });

  test('P-7: values are in the environment under a name a shell can read', () => {
    expect(variableName('service.url-2')).toBe('SERVICE_URL_2');
    expect(start({ 'service-url': 'x', bad: 'a\0b' }).env).toMatchObject({
      AUTOBUILD_INPUT_SERVICE_URL: 'x',
    });
    expect(start({ bad: 'a\0b' }).env).not.toHaveProperty('AUTOBUILD_INPUT_BAD');
  });

  test('a line that is an event is one, anything else is text', () => {
    const { read } = commandAgent('mine', ['x']).createReader();
    const event = { type: 'action', kind: 'command', command: 'npm test', ok: false, exit_code: 1 };
    expect(read(JSON.stringify(event))).toMatchObject([event]);
    for (const line of [
      'hello',
      '',
      '{"type": "unknown"}',
      '{"type": broken',
      '{"a": 1}',
      ' {"type":"text"}',
    ]) {
      expect(read(line)).toEqual([{ type: 'text', text: `${line}\n` }]);
    }
  });
});
