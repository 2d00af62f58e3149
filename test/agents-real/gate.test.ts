import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { GateAnswer, GateAsk } from '../../src/core/gate.ts';
import { waitFor } from '../runner/supervised-fixture.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { endOf, PATIENCE_MS } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

const asksFor = ({ path, paths = [] }: GateAsk, name: string) =>
  [path ?? '', ...paths].some((asked) => asked.endsWith(name));

describe.each(AGENT_CASES)('$name', (agentCase) => {
  test('an edit is held until it is released; a refused one is not made, and the model is told why', async () => {
    const { start, at, model } = await prepareAgent(agentCase, [
      { write: 'held.txt' },
      { write: 'refused.txt' },
      { text: 'All done.' },
    ]);
    const { promise, resolve: release } = Promise.withResolvers<GateAnswer>();
    const turn = await start({
      decide: async (ask) =>
        asksFor(ask, 'held.txt') ? promise : { decision: 'deny', reason: 'one file is enough' },
    });
    await waitFor('the ask', () => turn.asks.length === 1, PATIENCE_MS);
    expect(existsSync(at('held.txt'))).toBe(false);
    release({ decision: 'allow', reason: 'go on' });
    const events = await turn.finished();
    expect(readFileSync(at('held.txt'), 'utf8')).toBe('written\n');
    expect(existsSync(at('refused.txt'))).toBe(false);
    expect(events.filter(({ type }) => type === 'tool_ended')).toMatchObject([
      { ok: true, refused: false },
      ...(agentCase.tellsRefusedEdit
        ? [{ ok: false, refused: true, output: expect.stringContaining('one file is enough') }]
        : []),
    ]);
    expect(model.lastRequest()).toContain('one file is enough');
    expect(endOf(events)).toMatchObject({ ok: true });
  });

  test('a hook that is missing lets nothing through, whatever settings lie in the worktree', async () => {
    const { start, at } = await prepareAgent(
      agentCase,
      [{ write: 'b.txt' }, { text: 'All done.' }],
      agentCase.hooksOff,
    );
    const events = await (await start({ hook: ['/nowhere/hook'] })).finished();
    expect(existsSync(at('b.txt'))).toBe(false);
    if (agentCase.tellsRefusedEdit)
      expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', refused: true }));
    expect(endOf(events)).toMatchObject({ ok: true });
  });

  test('a hook that fails, is killed or says nothing lets nothing through', async () => {
    const { start, at, home } = await prepareAgent(agentCase, [
      { text: 'One.', write: '1.txt' },
      { text: 'Two.', write: '2.txt' },
      { text: 'Three.', write: '3.txt' },
      { text: 'All done.' },
    ]);
    const count = `${home}/count`;
    const silent = agentCase.silenceRefuses ? 'exit 0' : 'exit 1';
    const script = `echo x >> ${count}; case $(wc -l < ${count}) in 1) exit 1 ;; 2) kill -9 $$ ;; *) ${silent} ;; esac`;
    const events = await (await start({ hook: ['sh', '-c', script] })).finished();
    expect(readFileSync(count, 'utf8')).toBe('x\nx\nx\n');
    expect(['1.txt', '2.txt', '3.txt'].filter((name) => existsSync(at(name)))).toEqual([]);
    expect(endOf(events)).toMatchObject({ ok: true });
  });
});
