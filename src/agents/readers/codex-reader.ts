import * as z from 'zod';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { StreamReader } from '../agent.ts';
import { unwrapShell } from '../shell-words.ts';
import { createEndReasons } from './end-reason.ts';
import { createEnding } from './ending.ts';
import { readLinesBy, typeOf } from './json-line.ts';
import { outputTail } from './output-tail.ts';
import { OPENAI_WORDS } from './provider-words.ts';

const count = z.number().nonnegative().catch(0);

const AgentMessage = z.object({ type: z.literal('agent_message'), text: z.string() });
const Command = z.object({
  type: z.literal('command_execution'),
  id: z.string(),
  command: z.string(),
  aggregated_output: z.string().catch(''),
  exit_code: z.number().int().nullish().catch(undefined),
  status: z.string(),
});
const FileChange = z.object({
  type: z.literal('file_change'),
  id: z.string(),
  changes: z.array(z.object({ path: z.string() })),
  status: z.string(),
});
const McpCall = z.object({
  type: z.literal('mcp_tool_call'),
  id: z.string(),
  server: z.string().catch(''),
  tool: z.string().catch(''),
  status: z.string(),
});
const WebSearch = z.object({ type: z.literal('web_search'), id: z.string(), query: z.string().catch('') });
const Item = z.discriminatedUnion('type', [AgentMessage, Command, FileChange, McpCall, WebSearch]);
type Item = z.infer<typeof Item>;

const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: z.uuid() }),
  z.object({ type: z.literal('item.started'), item: Item }),
  z.object({ type: z.literal('item.completed'), item: Item }),
  z.object({
    type: z.literal('turn.completed'),
    usage: z
      .object({ input_tokens: count, cached_input_tokens: count, output_tokens: count })
      .optional()
      .catch(undefined),
  }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);

/** Lines that are never the agent's own text. */
const SILENT = /^(?:thread|turn)\.|^error$/;
/** Items that are no message: its plan, its reasoning, its tools. */
const NO_MESSAGE = /^(?:reasoning|todo_list|error|command_execution|file_change|mcp_tool_call|web_search)$/;

const ENDS = createEndReasons('Codex', [
  {
    no_session: /^(?:no rollout found|(?:thread\/resume: )?thread\/resume failed)\b/i,
    unusable: /^unexpected argument/i,
    quota:
      /^(?:quota exceeded|you've (?:hit|reached) your usage limit|usage limit|usage_limit_|to use codex with your chatgpt plan|you(?:'re| are) out of credits)/i,
    auth: /^(?:not logged in|missing environment variable|your (?:access|authentication) token)/i,
    context: /^codex ran out of room/i,
    rate_limit: /^exceeded retry limit, last status: 429\b/i,
  },
  OPENAI_WORDS,
]);

const TRIES_AGAIN = /^Reconnecting\b/;
/** Bounds the memory for an agent that never ends its calls. */
const OPEN_CALLS_KEPT = 1_000;
const NOT_DONE = new Set(['failed', 'declined']);

export function createCodexReader(): StreamReader {
  const ending = createEnding();
  let lastError: string | undefined;
  /** Calls whose start was reported. Some are reported only when they end. */
  const begun = new Set<string>();

  function readDone(item: Item): AgentEvent[] {
    if (item.type === 'agent_message') return [{ type: 'text', text: `${item.text}\n` }];
    const start = begun.delete(item.id) ? [] : startOf(item);
    return [...start, endOf(item)];
  }

  return {
    read: readLinesBy(Line, isSilent, (event) => {
      switch (event.type) {
        case 'thread.started':
          return [{ type: 'session', id: event.thread_id }];
        case 'item.started':
          if (event.item.type === 'agent_message') return [];
          if (begun.size >= OPEN_CALLS_KEPT) begun.clear();
          begun.add(event.item.id);
          return startOf(event.item);
        case 'item.completed':
          return readDone(event.item);
        case 'turn.completed': {
          const { usage } = event;
          // The usage counts all resumes of the thread.
          const figures = usage ? [usageOf(usage)] : [];
          return [...figures, ...ending.finish('done')];
        }
        case 'turn.failed': {
          const { message } = event.error;
          return ending.finish(ENDS.ofFailure(message), message);
        }
        case 'error':
          if (TRIES_AGAIN.test(event.message)) return [{ type: 'retry', message: event.message }];
          lastError = event.message;
          return [];
      }
    }),
    end: (exit) => (ending.hasEnded ? [] : [ENDS.ofExit(exit, lastError)]),
  };
}

function isSilent(json: Record<string, unknown> | undefined): boolean {
  const type = typeOf(json);
  // An updated item arrives whole when it is completed.
  if (SILENT.test(type) || type === 'item.updated') return true;
  const item = json?.item as Record<string, unknown> | undefined;
  return type.startsWith('item.') && NO_MESSAGE.test(typeOf(item));
}

type Tool = Exclude<Item, { type: 'agent_message' }>;

function startOf(item: Tool): AgentEvent[] {
  const started = { type: 'tool_started', id: item.id, paths: [] } as const;
  switch (item.type) {
    case 'command_execution': {
      const command = unwrapShell(item.command);
      return [{ ...started, kind: 'command', title: command, command, paths: [] }];
    }
    case 'file_change': {
      const paths = item.changes.map(({ path }) => path);
      return [{ ...started, kind: 'edit', title: `edit ${paths.join(', ')}`, paths }];
    }
    case 'mcp_tool_call':
      return [{ ...started, kind: 'other', title: `${item.server} ${item.tool}`, paths: [] }];
    case 'web_search':
      return [{ ...started, kind: 'search', title: `search ${item.query}`, paths: [] }];
  }
}

function endOf(item: Tool): AgentEvent {
  const status = 'status' in item ? item.status : 'completed';
  const exitCode = item.type === 'command_execution' ? item.exit_code : undefined;
  return {
    type: 'tool_ended',
    id: item.id,
    ok: !NOT_DONE.has(status),
    ...(typeof exitCode === 'number' ? { exit_code: exitCode } : {}),
    refused: status === 'declined',
    output: item.type === 'command_execution' ? outputTail(item.aggregated_output) : '',
    paths: item.type === 'file_change' ? item.changes.map(({ path }) => path) : [],
  };
}

function usageOf(usage: {
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
}): AgentEvent {
  const { input_tokens, cached_input_tokens: cached, output_tokens } = usage;
  return {
    type: 'usage',
    scope: 'session',
    input_tokens,
    output_tokens,
    ...(cached > 0 ? { cached_tokens: cached } : {}),
  };
}
