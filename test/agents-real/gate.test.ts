import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { GateAnswer, GateAsk } from '../../src/core/contracts/gate.ts';
import { waitFor } from '../runner/supervised-fixture.ts';
import { AGENT_CASES, caseOf } from './agent-cases.ts';
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

  test('E-5: a hook that fails, is killed, says nothing or nothing to the point lets nothing through', async () => {
    const { start, at, home } = await prepareAgent(agentCase, [
      { text: 'One.', write: '1.txt' },
      { text: 'Two.', write: '2.txt' },
      { text: 'Three.', write: '3.txt' },
      { text: 'Four.', write: '4.txt' },
      { text: 'All done.' },
    ]);
    const count = `${home}/count`;
    const [silent, garbled] = agentCase.silenceRefuses
      ? ['exit 0', 'echo yes']
      : ['exit 1', 'echo yes; exit 3'];
    const script = `echo x >> ${count}; case $(wc -l < ${count}) in 1) exit 1 ;; 2) kill -9 $$ ;; 3) ${silent} ;; *) ${garbled} ;; esac`;
    const events = await (await start({ hook: ['sh', '-c', script] })).finished();
    expect(readFileSync(count, 'utf8')).toBe('x\nx\nx\nx\n');
    expect(['1.txt', '2.txt', '3.txt', '4.txt'].filter((name) => existsSync(at(name)))).toEqual([]);
    expect(endOf(events)).toMatchObject({ ok: true });
  });
});

test('E-6: a patch that Codex takes out of a shell command is asked about where it lands; other commands are not', async () => {
  const patch = (path: string) =>
    `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\nEOF`;
  const { start, at } = await prepareAgent(
    caseOf('codex'),
    [
      { run: `cd sub && ${patch('one.txt')}` },
      { calls: [{ name: 'exec_command', input: { cmd: patch('two.txt'), workdir: 'sub' } }] },
      { run: patch('refused.txt') },
      { run: 'echo x > three.txt' },
      { text: 'All done.' },
    ],
    { 'sub/x.txt': 'x\n' },
  );
  const turn = await start({
    decide: async (ask) =>
      asksFor(ask, 'refused.txt')
        ? { decision: 'deny', reason: 'two files are enough' }
        : { decision: 'allow', reason: 'go on' },
  });
  const events = await turn.finished();
  const edited = events.flatMap((event) =>
    event.type === 'tool_started' && event.kind === 'edit' ? [event.paths] : [],
  );
  expect(edited).toEqual([[at('sub/one.txt')], [at('sub/two.txt')]]);
  expect(turn.asks.map(({ paths }) => paths)).toEqual([...edited, [at('refused.txt')]]);
  expect(
    ['sub/one.txt', 'sub/two.txt', 'refused.txt', 'three.txt'].map((path) => existsSync(at(path))),
  ).toEqual([true, true, false, true]);
});
