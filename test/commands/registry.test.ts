import { describe, expect, it } from 'vitest';
import { helpRows } from '../../src/commands/help-text.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import { COMMAND_NAMES } from '../../src/core/contracts/command.ts';

describe('the registry', () => {
  it('holds every command under its own name, with a usage that begins with it', () => {
    for (const name of COMMAND_NAMES) {
      expect(COMMANDS[name].name).toBe(name);
      expect(COMMANDS[name].usage.split(' ')[0]).toBe(`/${name}`);
      expect(COMMANDS[name].summary).not.toBe('');
    }
  });

  it('makes the help for the commands that are asked for, in that order', () => {
    expect(helpRows(['skip', 'guide'])).toEqual([
      { usage: '/skip', summary: 'list it as a known issue and finish the rest' },
      { usage: '/guide <text>', summary: 'a hint; the agent keeps its approach' },
    ]);
  });
});

it('V-6: the help of /continue names each word that it takes', () => {
  const { usage, summary } = COMMANDS.continue;
  for (const word of ['new-approach', 'agent=', 'update']) expect(usage).toContain(`[${word}`);
  expect(summary).toContain('with update');
});
