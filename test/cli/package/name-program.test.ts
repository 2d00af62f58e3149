import { expect, test } from 'vitest';
import { nameProgram } from '../../../src/cli/package/name-program.ts';

const START = 'npm run -s autobuild --';

test.each([
  ['⏸ Paused: autobuild resume k7m2q9ab', `⏸ Paused: ${START} resume k7m2q9ab`],
  [
    '  Look:  autobuild diff a     Undo:  autobuild undo a',
    `  Look:  ${START} diff a     Undo:  ${START} undo a`,
  ],
  ['Usage: autobuild --help', `Usage: ${START} --help`],
  ['Let `autobuild init` write it.', `Let \`${START} init\` write it.`],
  ['+# Look with: autobuild check-config', '+# Look with: autobuild check-config'],
  ['# a\n\nautobuild runs', `# a\n\n${START} runs`],
  ['autobuild 0.1.0', 'autobuild 0.1.0'],
  [
    'uses: autobuild/autobuild@v1 with autobuild runs-on',
    'uses: autobuild/autobuild@v1 with autobuild runs-on',
  ],
  ['~/.local/state/autobuild run', '~/.local/state/autobuild run'],
])('a hint names the words that start the program: %s', (text, shown) => {
  expect(nameProgram(text, START)).toBe(shown);
  expect(nameProgram(text, 'autobuild')).toBe(text);
});
