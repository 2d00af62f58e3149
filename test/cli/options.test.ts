import { expect, test } from 'vitest';
import { readOptions } from '../../src/cli/options.ts';

test.each(['', ' ', '\t\n'])('the check %j is refused, because a shell runs it successfully', (check) => {
  const read = () => readOptions(['run', 'TASK.md', '--verify', 'npm test', '--verify', check], '/');
  expect(read).toThrow(/--verify needs a command/);
});

test.each(['runs', 'init', 'register', 'serve', 'doctor'])(
  '%s refuses a word it would not use',
  (command) => {
    expect(() => readOptions([command, 'here'], '/')).toThrow(
      `autobuild ${command} takes only options, not also here.`,
    );
    expect(readOptions([command], '/').command).toBe(command);
  },
);
