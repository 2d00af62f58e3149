import { expect, test } from 'vitest';
import { claude } from '../../src/agents/claude.ts';
import { codex } from '../../src/agents/codex.ts';
import { copilot } from '../../src/agents/copilot.ts';
import { gemini } from '../../src/agents/gemini.ts';
import { opencode } from '../../src/agents/opencode.ts';

const TURN = {
  prompt: 'Build it',
  instructions: 'Ask for "help"\nwhen stuck',
  cwd: '/w',
  files: { prompt: '/p', context: '/c', inputs: '/i', report: '/r', gate: '/g' },
  inputs: {},
  home: '/h',
  newSession: '11111111-1111-4111-8111-111111111111',
  hook: [],
};

test.each([
  [claude, { argv: ['--append-system-prompt', TURN.instructions] }],
  [gemini, { file: 'gemini/.gemini/GEMINI.md' }],
  [opencode, { file: 'opencode/config/opencode/AGENTS.md' }],
  [copilot, { file: 'copilot/copilot-instructions.md' }],
] as const)(
  'P-11: $name is given standing instructions in its own way, and the prompt without them',
  (agent, way) => {
    const { argv, stdin, homeFiles } = agent.start(TURN);
    expect(stdin).toContain('Build it');
    expect(stdin).not.toContain('Ask for');
    if ('file' in way) expect(homeFiles).toContainEqual({ path: way.file, text: TURN.instructions });
    else expect(argv.slice(argv.indexOf(way.argv[1]) - 1)).toEqual(expect.arrayContaining([...way.argv]));
  },
);

test('P-11: codex is given standing instructions in its own way, and where the rules of the repository are', () => {
  const { argv, stdin } = codex.start(TURN);
  expect(stdin).not.toContain('Ask for');
  const given = argv.filter((word) => word.startsWith('developer_instructions='));
  expect(given).toEqual([
    expect.stringMatching(/^developer_instructions="Ask for \\"help\\"\\nwhen stuck\\n\\n.*AGENTS\.md/),
  ]);
  expect(argv[argv.indexOf(given[0] ?? '') - 1]).toBe('-c');
});
