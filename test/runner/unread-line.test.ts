import { describe, expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/registry.ts';
import { createHelpScanner } from '../../src/runner/help-scanner.ts';
import { wordsInUnreadLine } from '../../src/runner/unread-line.ts';

const BLOCK = '<<<NEED_HELP>>>\nwhat_i_tried: all\nwhat_i_need: the key\n<<<END_HELP>>>';
const BODY = '\nwhat_i_tried: all\nwhat_i_need: the key\n';

function helpIn(lines: string[]): string[] {
  const found: string[] = [];
  const scanner = createHelpScanner(({ text }) => found.push(text));
  for (const line of lines) scanner.feed(wordsInUnreadLine(line));
  scanner.end();
  return found;
}

describe.each(Object.keys(AGENTS))('%s', (name) => {
  const unread = (line: string) => AGENTS[name]?.createReader().read(line).length === 0;

  test('P-1: a help block in lines its reader makes nothing of is found', () => {
    expect(BLOCK.split('\n').every(unread)).toBe(true);
    expect(helpIn(BLOCK.split('\n'))).toEqual([BODY]);
    const event = JSON.stringify({ type: 'brand_new', data: { parts: [{ text: `I wait.\n${BLOCK}` }] } });
    expect(unread(event)).toBe(true);
    expect(helpIn([event])).toEqual([BODY]);
    const cut = JSON.stringify({ type: 'brand_new', text: BLOCK }).slice(0, -2);
    expect(unread(cut)).toBe(true);
    expect(helpIn([cut])).toEqual([BODY]);
  });
});

test.each([
  { type: 'item.updated', item: { type: 'command_execution', aggregated_output: BLOCK } },
  { type: 'tool.execution_partial_result', data: { partialOutput: BLOCK } },
  { type: 'user', message: { role: 'user', content: BLOCK } },
  { type: 'message', role: 'user', content: BLOCK },
  { type: 'brand_new', data: { toolName: 'read', text: { output: BLOCK } } },
  { type: 'assistant', parent_tool_use_id: 't1', message: { content: [{ type: 'text', text: BLOCK }] } },
  { type: 'assistant', message: { content: [{ type: 'thinking', thinking: BLOCK }] } },
  { type: 'hook.end', data: { text: BLOCK } },
])('P-1: what a tool, a person or a thought says asks nobody: %j', (event) => {
  expect(helpIn([JSON.stringify(event)])).toEqual([]);
  expect(helpIn([JSON.stringify(event).slice(0, -3)])).toEqual([]);
});
