import { expect, test } from 'vitest';
import { parseComment } from '../../../src/commands/parse-comment.ts';
import { COMMANDS } from '../../../src/commands/registry.ts';
import { COMMAND_NAMES, showCommand } from '../../../src/core/contracts/command.ts';

function parse(text: string) {
  const parsed = parseComment(text);
  if (parsed.kind !== 'command') throw new Error(`not a command: ${text}`);
  return parsed.command;
}

const LINES = [
  ...COMMAND_NAMES.filter((name) => name !== 'provide').map((name) => COMMANDS[name].example),
  '/continue',
  '/continue +5 +10min new-approach agent=codex',
  '/approve',
  '/approve files=30 paths=src/**,docs/{a,b}/**',
];

test.each(LINES)('E-18: %s is shown as it is typed', (line) => {
  expect(showCommand(parse(line))).toBe(line);
});

test('P-4: values that are given are shown by their names', () => {
  expect(showCommand(parse('/provide url=https://example.com token="a b"'))).toBe('/provide url=… token=…');
});
