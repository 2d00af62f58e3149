import { expect, test } from 'vitest';
import { AGENT_CASES } from './agent-cases.ts';
import { endOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

test.each(AGENT_CASES)(
  'E-7: a $name that does not know an option says that it is not usable',
  async (agentCase) => {
    const { start, model } = await prepareAgent(agentCase, [{ text: 'All done.' }]);
    const turn = await start({ extraArgs: ['--not-an-option-of-this-version'] });
    expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'unusable' });
    expect(model.requests).toEqual([]);
  },
);
