import { describe, expect, test } from 'vitest';
import { AGENTS } from '../../../src/agents/registry.ts';
import { createHelpScanner } from '../../../src/runner/output/help-scanner.ts';
import { createOverlongWords, wordsInUnreadLine } from '../../../src/runner/output/unread-line.ts';
import { createLineReader } from '../../../src/runner/process/line-reader.ts';
import { expectLinear } from '../../expect-linear.ts';

const BLOCK = '<<<NEED_HELP>>>\nwhat_i_tried: all\nwhat_i_need: the key\n<<<END_HELP>>>';
const BODY = '\nwhat_i_tried: all\nwhat_i_need: the key\n';

function helpIn(lines: string[]): string[] {
  const found: string[] = [];
  const scanner = createHelpScanner(({ text }) => found.push(text));
  for (const line of lines) scanner.feed(wordsInUnreadLine(line));
  scanner.end();
  return found;
}

/** As a turn reads them: what the reader knows is not looked at again. */
function helpOf(agent: string, lines: string[]): string[] {
  const found: string[] = [];
  const scanner = createHelpScanner(({ text }) => found.push(text));
  const reader = AGENTS[agent]?.createReader();
  for (const line of lines) {
    const events = reader?.read(line);
    if (!events) scanner.feed(wordsInUnreadLine(line));
    for (const event of events ?? []) if (event.type === 'text') scanner.feed(event.text);
  }
  scanner.end();
  return found;
}

describe.each(Object.keys(AGENTS))('%s', (name) => {
  const unknown = (line: string) => AGENTS[name]?.createReader().read(line) === undefined;

  test('P-1: a help block in lines its reader does not know is found', () => {
    expect(BLOCK.split('\n').every(unknown)).toBe(true);
    // Any program may print to the stream: only a message of the agent is its own.
    expect(helpIn(BLOCK.split('\n'))).toEqual([]);
    const event = JSON.stringify({
      type: 'agent.said',
      id: 'a1',
      data: { parts: [{ text: `So.\n${BLOCK}` }] },
    });
    expect(unknown(event)).toBe(true);
    expect(helpIn([event])).toEqual([BODY]);
    const cut = JSON.stringify({ type: 'agent.said', id: 'a1', text: BLOCK }).slice(0, -2);
    expect(unknown(cut)).toBe(true);
    expect(helpIn([cut])).toEqual([BODY]);
    expect(helpIn([`warning: ${cut}`])).toEqual([BODY]);
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
  { type: 'web_page', body: BLOCK },
  { type: 'read', content: BLOCK },
  { type: 'search_match', text: BLOCK },
  { type: 'agent.search_match', text: BLOCK },
  { type: 'fetched', content: BLOCK },
  { type: 'mcp_call', content: [{ text: BLOCK }] },
  { type: 'log', message: `grep: ${BLOCK}` },
  { type: 'commit_message', message: BLOCK },
  { type: 'notification', message: BLOCK },
  { type: 'attachment', content: BLOCK },
  { text: BLOCK },
])('P-1: what a tool, a person, a thought or nobody known says asks nobody: %j', (event) => {
  const line = JSON.stringify(event);
  expect(helpIn([line])).toEqual([]);
  expect(helpIn([`[${line}]`])).toEqual([]);
  expect(helpIn([`warning: ${line}`])).toEqual([]);
  // Assistants that have a parent say so only behind what they said.
  if (!('parent_tool_use_id' in event)) expect(helpIn([line.slice(0, -3)])).toEqual([]);
  for (const from of [3, 12, line.indexOf('<<<')]) expect(helpIn([line.slice(from)])).toEqual([]);
});

test.each([
  { type: 'message', role: 'model', content: BLOCK },
  { type: 'text', text: BLOCK },
  { type: 'item.finished', item: { id: '1', type: 'agent_message', message: BLOCK } },
  { type: 'event_msg', payload: { type: 'agent_message', message: BLOCK } },
  { choices: [{ message: { role: 'assistant', content: BLOCK } }] },
  { type: 'assistant', timestamp: '<<<', message: { content: [{ type: 'text', text: BLOCK }] } },
])('P-1: what is called a message of the agent counts, without the names and ids around it: %j', (event) => {
  const words = wordsInUnreadLine(JSON.stringify(event));
  expect(words).toBe(`${BLOCK}\n`);
});

test('P-1: Copilot tells its words in pieces and whole: the whole counts, wherever they are cut', () => {
  const line = (type: string, data: object) =>
    JSON.stringify({ type, id: 'e1', timestamp: '2026-01-01T00:00:00Z', data: { messageId: 'm1', ...data } });
  const delta = (text: string) => line('assistant.message_delta', { deltaContent: text });
  const whole = line('assistant.message', { content: BLOCK });
  for (let at = 0; at <= BLOCK.length; at += 1) {
    const pieces = [BLOCK.slice(0, at), BLOCK.slice(at)];
    expect(helpOf('copilot', [...pieces.map(delta), whole])).toEqual([BODY]);
  }
  expect(helpOf('copilot', [...BLOCK].map(delta).concat(whole))).toEqual([BODY]);
});

describe('a line that is too long to be held', () => {
  function helpInLong(line: string, options: { plain?: boolean } = {}): string[] {
    const found: string[] = [];
    const scanner = createHelpScanner(({ text }) => found.push(text));
    const overlong = createOverlongWords(options);
    const lines = createLineReader({
      maxLineBytes: 4_096,
      onLine: () => undefined,
      onOverlong: (text, final) => scanner.feed(overlong.feed(text, final)),
    });
    for (const one of [line, line]) lines.push(Buffer.from(`${one}\n`));
    scanner.end();
    return found;
  }
  const long = `${'y'.repeat(600_000)}\n${BLOCK}`;

  test.each([
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'x', content: long }] } },
    { type: 'item.completed', item: { id: '1', type: 'command_execution', aggregated_output: long } },
    { type: 'tool.execution_complete', data: { toolCallId: 'x', result: { content: long } } },
    { type: 'tool_result', tool_id: 'x', output: long },
    { type: 'tool_use', part: { tool: 'read', state: { output: long } } },
    { type: 'web_page', body: long },
  ])('P-1: what a tool said asks nobody (%#)', (event) => {
    expect(helpInLong(JSON.stringify(event))).toEqual([]);
    expect(helpInLong(`warning: ${JSON.stringify(event)}`)).toEqual([]);
  });

  test.each([
    { type: 'assistant', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: long }] } },
    { type: 'item.completed', item: { id: '1', type: 'agent_message', text: long } },
    { type: 'assistant.message', data: { messageId: 'm', content: long } },
    { type: 'message', timestamp: '', role: 'assistant', content: long },
    { type: 'text', sessionID: 's', part: { type: 'text', text: long } },
  ])('P-1: what the agent said is found (%#)', (event) => {
    expect(helpInLong(JSON.stringify(event))).toEqual([BODY, BODY]);
  });

  test("P-1: a program's plain words are its own, the output of its tools is not", () => {
    const body = BODY.replaceAll('\n', ' ');
    const plain = `${BLOCK.replaceAll('\n', ' ')}${'y'.repeat(600_000)}`;
    expect(helpInLong(plain, { plain: true })).toEqual([body, body]);
    expect(helpInLong(plain)).toEqual([]);
    expect(helpInLong(`saw ${plain}`, { plain: true })).toEqual([]);
    expect(helpInLong(JSON.stringify({ type: 'text', text: long }), { plain: true })).toEqual([BODY, BODY]);
    const ended = JSON.stringify({ type: 'tool_ended', id: 'x', ok: true, output: long });
    expect(helpInLong(ended, { plain: true })).toEqual([]);
  });
});

test.each([
  ['names', '{"a" '],
  ['spaces', '"type":   '],
  ['brackets', '[ {  '],
  ['marker starts', '<'],
  ['words', 'message '],
])('P-1: no line takes long: %s', (_, piece) => {
  const work = (size: number) => {
    const filler = piece.repeat(size);
    wordsInUnreadLine(`{${filler}<<<NEED_HELP>>>`);
    wordsInUnreadLine(JSON.stringify({ type: filler, text: BLOCK }));
  };
  expectLinear(work, 20_000);
});
