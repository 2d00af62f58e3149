import { describe, expect, test } from 'vitest';
import type { StreamReader } from '../../src/agents/agent.ts';
import { commandAgent } from '../../src/agents/command.ts';
import { AGENTS } from '../../src/agents/registry.ts';
import { readAgentOutput } from '../../src/runner/output/agent-output.ts';
import type { HelpBlock } from '../../src/runner/output/help-scanner.ts';

const BLOCK = '<<<NEED_HELP>>>\nwhat_i_tried: all\nwhat_i_need: the key\n<<<END_HELP>>>';

function heard(reader: StreamReader) {
  const blocks: HelpBlock[] = [];
  const strays: string[] = [];
  const ends: { reason: string }[] = [];
  const output = readAgentOutput(reader, {
    event: (event) => void (event.type === 'ended' && ends.push(event)),
    helpBlock: (block) => void blocks.push(block),
    strayHelp: (place) => void strays.push(place),
    problem: () => undefined,
  });
  return { output, blocks, strays, ends };
}

const readerOf = (name: string) => {
  const reader = AGENTS[name]?.createReader();
  if (!reader) throw new Error(`no agent ${name}`);
  return reader;
};

const claude = {
  says: (text: string) =>
    JSON.stringify({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text }] } }),
  calls: JSON.stringify({
    type: 'assistant',
    message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'cat x' } }] },
  }),
  prints: (content: string) =>
    JSON.stringify({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't', content }] },
    }),
};

describe('S-1: only the agent itself asks for help', () => {
  test('S-1: a block in the output of a tool asks nobody, and is told', () => {
    const { output, blocks, strays } = heard(readerOf('claude'));
    output.line(claude.calls);
    output.line(claude.prints(`README\n${BLOCK}`));
    output.end({ code: 0, signal: null });
    expect(blocks).toEqual([]);
    expect(strays).toEqual(['the output of a tool']);
  });

  test.each(Object.keys(AGENTS))(
    'S-1: %s: on stderr, or as bare lines of its stream, it asks nobody',
    (name) => {
      const { output, blocks, strays } = heard(readerOf(name));
      for (const line of BLOCK.split('\n')) output.line(line);
      for (const piece of [BLOCK.slice(0, 9), BLOCK.slice(9)]) output.stderr(piece);
      output.end({ code: 0, signal: null });
      expect(blocks).toEqual([]);
      expect(strays).toEqual(['a line that is no message', 'stderr']);
    },
  );

  test('S-1: mentioned in prose it asks nobody', () => {
    const { output, blocks, strays } = heard(readerOf('claude'));
    output.line(claude.says(`If I get stuck I print ${BLOCK}, as told.`));
    output.line(claude.says('The marker is `<<<NEED_HELP>>>`.'));
    output.end({ code: 0, signal: null });
    expect(blocks).toEqual([]);
    expect(new Set(strays)).toEqual(new Set(['the middle of a line']));
  });

  test('P-1: in its own message, at the start of a line, it asks; unclosed it asks as malformed', () => {
    const closed = heard(readerOf('claude'));
    closed.output.line(claude.says(`I am stuck.\n\n${BLOCK}`));
    expect(closed.blocks).toMatchObject([{ closed: true }]);
    const open = heard(readerOf('claude'));
    open.output.line(claude.says('<<<NEED_HELP>>>\nwhat_i_need: x'));
    expect(open.blocks).toEqual([]);
    // The tool's output does not close what the message left open.
    open.output.line(claude.calls);
    expect(open.blocks).toMatchObject([{ closed: false }]);
    open.output.line(claude.prints('what_i_tried: y\n<<<END_HELP>>>'));
    expect(open.blocks).toHaveLength(1);
  });

  test('P-1: a program without a stream speaks by all that it prints', () => {
    const { output, blocks } = heard(commandAgent('mine', ['x']).createReader());
    for (const line of BLOCK.split('\n')) output.line(line);
    output.stderr(BLOCK);
    output.end({ code: 0, signal: null });
    expect(blocks).toHaveLength(2);
  });
});

describe('S-1: an end has the reason that the CLI gives, not one that a tool printed', () => {
  const words = 'Error: Invalid API key\nError: No session found\nYou exceeded your current quota';

  test.each(Object.keys(AGENTS))('S-1: %s', (name) => {
    const started = heard({
      ...readerOf(name),
      read: () => [{ type: 'tool_started', id: 't', kind: 'command', paths: [] }],
    });
    started.output.line('{}');
    started.output.stderr(words);
    started.output.end({ code: 1, signal: null });
    expect(started.ends).toMatchObject([{ ok: false, reason: 'failed' }]);
  });

  test.each([
    'The tests say: invalid api key',
    'npm ERR! 401 Unauthorized\nprompt is too long, said the linter',
    'assert(message).toContain("credit balance")',
  ])('S-1: words in the middle of a failure name no reason: %s', (message) => {
    const { output, ends } = heard(readerOf('codex'));
    output.line(JSON.stringify({ type: 'turn.failed', error: { message: `It broke. ${message}` } }));
    expect(ends).toMatchObject([{ reason: 'api_error' }]);
  });
});
