import { describe, expect, test } from 'vitest';
import { AGENT_CASES } from './agent-cases.ts';
import { endOf, textOf } from './agent-turn.ts';
import { LONG_TEXT, prepareAgent } from './prepare-agent.ts';

describe.each(AGENT_CASES)('$name and its provider', (agentCase) => {
  test('K-2: a stream that is cut is tried again, by itself or in the next turn', async () => {
    const { start, model } = await prepareAgent(agentCase, [
      { run: 'true' },
      { text: LONG_TEXT, slowly: 20, cut: true },
    ]);
    const turn = await start();
    const events = await turn.finished();
    if (agentCase.survivesCut) {
      expect(textOf(events)).toContain(`${LONG_TEXT}\n`);
      expect(endOf(events)).toMatchObject({ ok: true });
    } else {
      expect(endOf(events)).toMatchObject({ ok: false, reason: 'api_error' });
      const id = await turn.session();
      const second = await start({ session: id, prompt: 'Go on.' });
      expect(endOf(await second.finished())).toMatchObject({ ok: true });
    }
    expect(model.requests.length).toBeGreaterThan(2);
  });

  test.each([
    ['request', 'api_error'],
    ['key', 'auth'],
    ['quota', 'quota'],
  ] as const)('E-7, K-2: a refused %s ends the turn as %s', async (refused, reason) => {
    const refuse = agentCase.refusals[refused];
    const { start } = await prepareAgent(agentCase, [{ refuse }]);
    const end = endOf(await (await start()).finished());
    const told = agentCase.told[refused] ?? refuse.message;
    expect(end).toMatchObject({ ok: false, reason, message: expect.stringContaining(told) });
  });
});

const limited = AGENT_CASES.filter(({ turnLimit }) => turnLimit);

test.each(limited)('K-2: the own limit of turns of $name ends the turn as max_turns', async (agentCase) => {
  const { start } = await prepareAgent(agentCase, [
    { text: 'I run.', run: 'true' },
    { text: 'Again.', run: 'true' },
    { text: 'All done.' },
  ]);
  const turn = await start(agentCase.turnLimit);
  expect(endOf(await turn.finished())).toMatchObject({ ok: false, reason: 'max_turns' });
});
