import { describe, expect, test } from 'vitest';
import { AGENT_CASES } from './agent-cases.ts';
import { endOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

const INSTRUCTIONS = 'Autobuild: the "first" rules\n\n    <<<NEED_HELP>>>\n\n- they hold, $HOME and `all`';

describe.each(AGENT_CASES)('$name', (agentCase) => {
  test('P-11: standing instructions are above the conversation, also when it is resumed, and never in it', async () => {
    const { start, model } = await prepareAgent(agentCase, [{ text: 'One.' }, { text: 'Two.' }]);
    const first = await start({ instructions: INSTRUCTIONS, prompt: 'Build it.' });
    expect(endOf(await first.finished())).toMatchObject({ ok: true });
    expect(placesOf(INSTRUCTIONS, model.lastRequest())).toEqual(['above']);
    expect(placesOf('Build it.', model.lastRequest())).toEqual(['within']);

    const session = await first.session();
    await (await start({ instructions: INSTRUCTIONS, prompt: 'Go on.', session })).finished();
    expect(model.requests).toHaveLength(2);
    expect(placesOf(INSTRUCTIONS, model.lastRequest())).toEqual(['above']);
    expect(placesOf('Go on.', model.lastRequest())).toEqual(['within']);
  });
});

type Message = { role?: string; type?: string };

/** Where in a provider's request a text stands: above the conversation, or within it. */
function placesOf(text: string, request: string): ('above' | 'within')[] {
  const { messages, contents, input, ...above } = JSON.parse(request) as Record<
    string,
    Message[] | undefined
  >;
  const said = messages ?? contents ?? input ?? [];
  const isAbove = ({ role }: Message) => role === 'system' || role === 'developer';
  const holds = (part: unknown) => stringsIn(part).some((string) => string.includes(text));
  return [
    ...(holds([above, said.filter(isAbove)]) ? ['above' as const] : []),
    ...(holds(said.filter((message) => !isAbove(message))) ? ['within' as const] : []),
  ];
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
