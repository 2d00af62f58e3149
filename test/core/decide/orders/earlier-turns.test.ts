import { expect, test } from 'vitest';
import type { RunState } from '../../../../src/core/contracts/run-state.ts';
import { earlierTurns } from '../../../../src/core/decide/orders/earlier-turns.ts';

test('E-14: each turn is one short line, the newest are kept, and a debugging turn says so', () => {
  const turns = Array.from({ length: 40 }, (_, at) => ({
    turn: at + 1,
    kind: at === 38 ? 'debug' : 'normal',
    ...(at === 39 ? { agent: 'codex' } : {}),
    ...(at === 38 ? {} : { title: `did\n ${'x'.repeat(500)}` }),
    exit: 'exit 1',
  }));
  const lines = earlierTurns({ agent: 'claude', turns } as unknown as RunState);
  expect(lines).toHaveLength(30);
  expect(lines[0]).toMatchObject({ turn: 11, agent: 'claude' });
  expect(lines[0]?.said).toHaveLength(200);
  expect(lines[0]?.said).toMatch(/^did x+…$/);
  expect(lines.slice(-2)).toMatchObject([
    { turn: 39, agent: 'claude', said: 'debugging: exit 1' },
    { turn: 40, agent: 'codex' },
  ]);
});
