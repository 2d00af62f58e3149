import { expect, test } from 'vitest';
import { caseOf } from './agent-cases.ts';
import { prepareAgent } from './prepare-agent.ts';

test('its shell does not see the key, and a command is told as it was given', async () => {
  const command = "env | grep -c API_KEY # it's a check";
  const { start } = await prepareAgent(caseOf('codex'), [{ run: command }, { text: 'Done.' }]);
  const events = await (await start()).finished();
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_started', command }));
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_ended', exit_code: 1, output: '0\n' }));
});
