import { expect, test } from 'vitest';
import { claude } from '../../src/agents/claude.ts';
import { caseOf } from './agent-cases.ts';
import { textOf } from './agent-turn.ts';
import { prepareAgent } from './prepare-agent.ts';

test('what is said mid-turn reaches the next request, and after the end another turn', async () => {
  const { start, model } = await prepareAgent(caseOf('claude'), [
    // A bare `sleep` of some length is refused.
    { text: 'I look.', run: "node -e 'setTimeout(() => {}, 2000)'" },
    { text: 'First end.' },
    { text: 'Second end.' },
  ]);
  const turn = await start({ stayOpen: true });
  await turn.event('tool_started');
  turn.supervised.write(claude.encodeMessage?.('Use the other key.') ?? '');
  await turn.event('ended');
  expect(model.requests[1]).toContain('Use the other key.');
  turn.supervised.write(claude.encodeMessage?.('One thing more.') ?? '');
  turn.supervised.closeStdin();
  const events = await turn.finished();
  expect(textOf(events)).toBe('I look.\nFirst end.\nSecond end.\n');
  expect(events.filter(({ type }) => type === 'ended')).toHaveLength(2);
});
