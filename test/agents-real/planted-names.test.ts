import { expect, test } from 'vitest';
import { configNamesOf, isAgentConfigPath } from '../../src/runner/agent/agent-config-paths.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { prepareAgent } from './prepare-agent.ts';

/** Names that some agent takes instructions from. Without the best known: beside them the others are passed over. */
const RULES = [
  ...['agents.md', 'Agents.md', 'AGENTS.local.md', 'AGENT.md', 'CLAUDE.local.md', 'claude.md'],
  ...['gemini.md', 'CONTEXT.md', 'CONVENTIONS.md', 'MEMORY.md', 'QWEN.md', 'README.md', 'instructions.md'],
  ...['.rules', '.clinerules', '.cursorrules', '.cursor/rules/x.mdc', '.instructions.md'],
  ...['.github/copilot-instructions.md', '.github/instructions/x.instructions.md', '.github/AGENTS.md'],
  ...[
    '.claude/CLAUDE.md',
    '.claude/rules/x.md',
    '.codex/AGENTS.md',
    '.agents/AGENTS.md',
    '.gemini/GEMINI.md',
  ],
  ...['.config/AGENTS.md', 'docs/CLAUDE.md', 'docs/AGENTS.md'],
];
const SKILLS = ['.agents', '.claude', '.codex', '.copilot', '.cursor', '.gemini', '.github', '.']
  .flatMap((folder) => [`${folder}/skills`, `${folder}/skill`])
  .map((folder) => `${folder}/planted/SKILL.md`.replace(/^\.\//, ''));
const PATHS = [...RULES, ...SKILLS];

const wordOf = (path: string) => `planted-word-${PATHS.indexOf(path)}-`;
/** With the heads that the one or the other kind needs. */
const textOf = (path: string) =>
  `---\nname: planted\ndescription: ${wordOf(path)}\napplyTo: "**"\nalwaysApply: true\n---\n${wordOf(path)}\n`;

test.each(AGENT_CASES)('S-3: whatever $name obeys in a worktree is guarded', async (agentCase) => {
  const files = Object.fromEntries(PATHS.map((path) => [path, textOf(path)]));
  const { start, model } = await prepareAgent(agentCase, [{ text: 'All done.' }], files);
  await (await start()).finished();
  const obeyed = PATHS.filter((path) => model.lastRequest().includes(wordOf(path)));
  const names = configNamesOf(agentCase.agent);
  expect(obeyed.length).toBeGreaterThan(0);
  expect(obeyed.filter((path) => !isAgentConfigPath(path, names))).toEqual([]);
});
