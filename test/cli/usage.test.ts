import { expect, test } from 'vitest';
import { USAGE } from '../../src/cli/usage.ts';
import { COMMANDS } from '../../src/commands/registry.ts';

test.each(Object.values(COMMANDS))('--help has a row for $usage', ({ usage, summary }) => {
  const row = USAGE.replaceAll(/\s+/g, ' ');
  expect(row).toContain(` ${usage} ${summary}`.replaceAll(/\s+/g, ' '));
});
