import { expect, test } from 'vitest';
import { USAGE } from '../../src/cli/usage.ts';
import { COMMANDS } from '../../src/commands/registry.ts';

/** `/cancel` does the same at a terminal, so only that one is listed. */
const LISTED = Object.values(COMMANDS).filter(({ name }) => name !== 'terminate');

test.each(LISTED)('--help has a row for $usage', ({ usage, summary }) => {
  const row = USAGE.replaceAll(/\s+/g, ' ');
  expect(row).toContain(` ${usage} ${summary}`.replace('the branch', 'the work').replaceAll(/\s+/g, ' '));
});
