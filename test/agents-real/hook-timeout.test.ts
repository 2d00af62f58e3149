import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { endOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

const A_SECOND = { claude: 1, codex: 1, gemini: 1_000, copilot: 1 };
type Timed = keyof typeof A_SECOND;

/** OpenCode's plugin waits for its hook without a limit. */
const TIMED = AGENT_CASES.filter(({ name }) => name in A_SECOND);

test.each(TIMED)('E-5: $name, when the time of its hook is up', async (agentCase) => {
  const { start, at, home } = await prepareAgent(agentCase, [{ write: 'b.txt' }, { text: 'All done.' }]);
  const agent = withTimeout(agentCase.agent, A_SECOND[agentCase.name as Timed]);
  // Waited for to its end, it would say the opposite.
  const late = `touch ${home}/called; sleep 4; exit ${agentCase.timeUpLetsThrough ? 1 : 0}`;
  const turn = await start({ agent, hook: ['sh', '-c', late] });
  expect(endOf(await turn.finished())).toMatchObject({ ok: true });
  expect(existsSync(`${home}/called`)).toBe(true);
  expect(existsSync(at('b.txt'))).toBe(agentCase.timeUpLetsThrough);
});

/** The same agent with another limit in what its adapter says of the hook. */
function withTimeout(agent: Agent, limit: number): Agent {
  return {
    ...agent,
    start(turn) {
      let found = 0;
      const shorten = (text: string) =>
        text.replaceAll(/("timeout(?:Sec)?"\s*[:=]\s*)\d+/g, (_, before: string) => {
          found += 1;
          return `${before}${limit}`;
        });
      const start = agent.start(turn);
      const homeFiles = start.homeFiles?.map(({ path, text }) => ({ path, text: shorten(text) }));
      const changed = { ...start, argv: start.argv.map(shorten), homeFiles };
      // Codex has one hook for edits and one for shell commands.
      expect(found).toBe(agent.name === 'codex' ? 2 : 1);
      return changed;
    },
  };
}
