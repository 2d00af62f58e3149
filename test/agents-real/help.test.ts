import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createUsageMeter } from '../../src/runner/output/usage-meter.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { type AgentTurn, endOf, textOf } from './agent-turn.ts';
import { TOKENS } from './model-servers/scripted-model.ts';
import { HELP, prepareAgent } from './prepare-agent.ts';

describe.each(AGENT_CASES)('$name', (agentCase) => {
  test('help, an answer in the resumed session, done; tokens are counted over both', async () => {
    const { start, at, model } = await prepareAgent(agentCase, [
      { text: 'I write.', write: 'b.txt' },
      { text: 'I check.', run: 'echo all is lost; exit 3' },
      { text: HELP },
      { text: 'Thanks.', write: 'c.txt' },
      { text: 'All done.' },
    ]);
    const usage = createUsageMeter({ input_tokens: 0, output_tokens: 0, cost_usd: null });
    const count = (turn: AgentTurn, session: string) => {
      usage.newInvocation();
      for (const event of turn.figures()) usage.add(event, session);
      return usage.total();
    };
    const first = await start();
    const events = await first.finished();
    expect(textOf(events)).toContain(`\n${HELP}`);
    expect(endOf(events)).toEqual({ type: 'ended', ok: true, reason: 'done' });
    expect(first.asks.map(({ path, paths }) => path ?? paths)).toEqual([
      expect.toBeOneOf([at('b.txt'), ['b.txt'], [at('b.txt')]]),
    ]);
    expect(events.filter(({ type }) => type === 'tool_started')).toMatchObject([
      { kind: 'edit', paths: [expect.stringMatching(/b\.txt$/)] },
      { kind: 'command', command: 'echo all is lost; exit 3' },
    ]);
    expect(events.filter(({ type }) => type === 'tool_ended')).toMatchObject([
      { ok: true, refused: false },
      { ok: false, exit_code: 3, output: expect.stringContaining('all is lost'), refused: false },
    ]);
    const id = await first.session();
    const three = { input_tokens: 3 * TOKENS.input, output_tokens: 3 * TOKENS.output };
    expect(count(first, id)).toMatchObject(three);

    const second = await start({ session: id, prompt: 'The key is 42.' });
    const more = await second.finished();
    expect(more).toContainEqual({ type: 'session', id });
    expect(textOf(more)).toBe('Thanks.\nAll done.\n');
    expect(existsSync(at('c.txt'))).toBe(true);
    expect(model.lastRequest()).toContain('The key is 42.');
    expect(count(second, id)).toMatchObject({
      input_tokens: 5 * TOKENS.input,
      output_tokens: 5 * TOKENS.output,
      cost_usd: agentCase.tellsCost ? expect.any(Number) : null,
    });
  });
});
