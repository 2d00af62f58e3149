import { expect, test } from 'vitest';
import {
  describeMissingProgram,
  findMissingPrograms,
} from '../../../src/runner/checks/find-missing-programs.ts';
import { makeFolder } from '../supervised-fixture.ts';

test('E-7: a check whose program is not there is named before turn 1, with the remedy', async () => {
  const commands = [
    'CI=1 no-such-tool test',
    'sh -c true',
    'exit 0',
    'no-such-tool lint',
    '"$(touch planted)"',
  ];
  const cwd = makeFolder();
  const missing = await findMissingPrograms(commands, { cwd, env: { PATH: '/usr/bin:/bin' } });
  expect(missing).toEqual([
    { command: 'CI=1 no-such-tool test', program: 'no-such-tool' },
    { command: 'no-such-tool lint', program: 'no-such-tool' },
  ]);
  expect(missing.map(describeMissingProgram)[0]).toMatch(/`no-such-tool` is not there.* Install it/);
});
