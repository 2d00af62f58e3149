import { expect, test } from 'vitest';
import { ofType } from '../e2e/cli-run.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { TOKENS } from './model-servers/scripted-model.ts';
import { prepareRun, sessionOf } from './run-case.ts';
import { DONE, expectDone, FINISH, guardsOf } from './run-words.ts';

const help = (key: string) =>
  `I am stuck.\n<<<NEED_HELP>>>\nwhat_i_tried: looked for the ${key} everywhere\nwhat_i_need: the ${key}\ninputs:\n  - key: ${key}\n    label: The ${key}\n<<<END_HELP>>>\n`;

test.each(AGENT_CASES)(
  'P-7: $name is helped while it runs, and again after a park: the same conversation to the end',
  async (agentCase) => {
    const run = await prepareRun(agentCase, [
      { text: help('colour') },
      { text: 'I took it in.', run: 'cp "$AUTOBUILD_INPUTS" ../colour.json; env > ../agent-env' },
      { text: help('size') },
      { text: 'Thanks.', run: `cp "$AUTOBUILD_INPUTS" ../size.json; ${FINISH.run}` },
      DONE,
    ]);
    const parked = await run.run('/provide colour=teal');
    expect(parked.code, parked.stderr).toBe(2);
    expect(guardsOf(parked)).toEqual([['need_help'], ['need_help']]);
    expect(parked.escalations[0]).toMatchObject({ what_i_need: 'the colour', inputs: [{ key: 'colour' }] });
    // Some tell a tool before the words that came with it.
    expect(ofType(parked.events, 'answer_acknowledged')).toMatchObject([
      { text: expect.stringMatching(/I took it in|colour\.json/) },
    ]);
    expect(run.scratch.read('../colour.json')).toContain('teal');
    expect(run.scratch.read('../agent-env')).not.toContain('not-for-agents');
    expect(sessionOf(run)).not.toBe('');

    const done = await run.resume('/provide size=42');
    expectDone(done, run);
    expect(run.scratch.read('../size.json')).toContain('42');
    expect(ofType(done.events, 'answer_acknowledged')).toMatchObject([
      { text: expect.stringMatching(/Thanks|size\.json/) },
    ]);
    // V-9: the conversation has the values in it, so it is deleted together with them.
    expect(sessionOf(run)).toBe('');
    const history = run.model.lastRequest();
    for (const earlier of ['the colour', 'I took it in.', 'the size', 'Thanks.'])
      expect(history).toContain(earlier);
    expect(ofType(done.events, 'turn_ended').at(-1)?.usage).toMatchObject({
      input_tokens: 5 * TOKENS.input,
      output_tokens: 5 * TOKENS.output,
      cost_usd: agentCase.tellsCost ? expect.any(Number) : null,
    });
    expect(done.stderr).toMatch(/\btokens\b/);
  },
);
