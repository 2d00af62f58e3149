import { expect, test } from 'vitest';
import { shownProgress } from '../../../src/cli/terminal/shown-progress.ts';
import type { AgentEvent } from '../../../src/core/contracts/agent/agent-event.ts';

const shown = (event: AgentEvent) => shownProgress({ type: 'agent', event });

test('P-4: what an agent and its tools print is not searched, because the screen does not show it', () => {
  expect(shownProgress({ type: 'stderr', text: 'x' })).toBeUndefined();
  expect(shown({ type: 'text', text: 'x' })).toBeUndefined();
  const tool = { refused: false, output: 'x', paths: [] };
  expect(shown({ type: 'tool_ended', id: '1', ok: true, ...tool })).toBeUndefined();
  const action = { type: 'action', kind: 'command', command: 'ls', ...tool } as const;
  expect(shown(action)).toEqual({ type: 'agent', event: { ...action, output: '' } });
});

test('P-4: what the screen shows is passed on', () => {
  const retry = { type: 'agent', event: { type: 'retry', message: 'again' } } as const;
  const check = { type: 'check', command: 'npm test' } as const;
  expect([retry, check].map(shownProgress)).toEqual([retry, check]);
});
