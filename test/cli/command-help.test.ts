import { expect, test } from 'vitest';
import { ALLOWED } from '../../src/cli/allowed-options.ts';
import { helpFor, nearestCommand } from '../../src/cli/command-help.ts';
import { readOptions } from '../../src/cli/options.ts';

test('T-8: every command that people type has a help with examples, and every example is a line that works', () => {
  const commands = Object.keys(ALLOWED).filter((name) => name !== 'gate' && name !== 'hook');
  for (const command of commands) {
    const help = helpFor(command) ?? '';
    const [, examples = ''] = help.split('Examples:\n');
    const lines = examples.split('\n');
    expect(lines.length, command).toBeGreaterThan(0);
    for (const line of lines) {
      const words = [...line.trim().matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, word]) => quoted ?? word ?? '',
      );
      expect(words[0]).toBe('autobuild');
      expect(readOptions(words.slice(1), '/').command).toBe(command);
    }
    for (const option of ALLOWED[command] ?? []) expect(help).toContain(`--${option}`);
  }
  expect(helpFor('hook')).toBeUndefined();
  expect(helpFor('constructor')).toBeUndefined();
});

test('T-8: an option is explained as its command takes it', () => {
  expect(helpFor('run')).toContain('the part of the repository that the task is about');
  for (const command of ['undo', 'init', 'register', 'doctor'])
    expect(helpFor(command)).toMatch(/^ +--directory DIR +instead of this directory$/m);
  expect(helpFor('undo')).toContain('undo files that were edited since, too');
  expect(helpFor('doctor')).not.toContain('after --');
});

test('T-8: a misspelled command or option gets a guess', () => {
  expect(nearestCommand('resum')).toBe('resume');
  expect(nearestCommand('xyz')).toBeUndefined();
  expect(() => readOptions(['run', 'T.md', '--agnet', 'x'], '/')).toThrow('Did you mean --agent?');
  expect(() => readOptions(['run', 'T.md', '--nothing-like-it'], '/')).toThrow(
    /Unknown option '--nothing-like-it'$/,
  );
});
