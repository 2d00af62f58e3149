import * as z from 'zod';
import type { AgentEvent, ToolKind } from '../../core/contracts/agent/agent-event.ts';
import type { StreamReader } from '../agent.ts';
import { createCumulativeUsage } from './cumulative-usage.ts';
import { createEndReasons, type End } from './end-reason.ts';
import { readLinesBy, typeOf } from './json-line.ts';
import { outputTail } from './output-tail.ts';
import { ANTHROPIC_WORDS } from './provider-words.ts';

const count = z.number().nonnegative().catch(0);

const System = z.object({
  type: z.literal('system'),
  subtype: z.string(),
  session_id: z.uuid().optional().catch(undefined),
  attempt: z.number().optional().catch(undefined),
  max_retries: z.number().optional().catch(undefined),
  error_status: z.number().nullish().catch(undefined),
  error: z.string().optional().catch(undefined),
});

const Text = z.object({ type: z.literal('text'), text: z.string() });
const ToolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).catch({}),
});
const ToolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish(),
  content: z.unknown(),
});

const Assistant = z.object({
  type: z.literal('assistant'),
  parent_tool_use_id: z.string().nullish(),
  message: z.object({
    id: z.string(),
    model: z.string().optional(),
    content: z.array(z.unknown()),
    usage: z
      .object({
        input_tokens: count,
        cache_creation_input_tokens: count,
        cache_read_input_tokens: count,
        output_tokens: count,
      })
      .optional()
      .catch(undefined),
  }),
});

const User = z.object({
  type: z.literal('user'),
  message: z.object({ content: z.array(z.unknown()) }),
  tool_result_meta: z
    .array(
      z.object({
        id: z.string(),
        permission_decision: z.object({ decision: z.string(), source: z.string() }).optional(),
      }),
    )
    .optional()
    .catch(undefined),
});

const ModelUsage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  costUSD: count,
});

const Result = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean().catch(false),
  api_error_status: z.number().nullish().catch(undefined),
  terminal_reason: z.string().optional().catch(undefined),
  result: z.string().optional().catch(undefined),
  errors: z.array(z.string()).optional().catch(undefined),
  queued_turn_count: count,
  model_usage_since_last_result: z.record(z.string(), ModelUsage).optional().catch(undefined),
});
type Result = z.infer<typeof Result>;

const Line = z.discriminatedUnion('type', [System, Assistant, User, Result]);

/** Partial messages, which also arrive whole, and lines that are never the agent's own text. */
const SILENT = /^(?:stream_event|user|system|result|rate_limit_event)$/;

const KINDS: Record<string, ToolKind> = {
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Bash: 'command',
  PowerShell: 'command',
  Read: 'read',
  NotebookRead: 'read',
  WebFetch: 'read',
  Glob: 'search',
  Grep: 'search',
  LS: 'search',
  ToolSearch: 'search',
  WebSearch: 'search',
};

const ENDS = createEndReasons('Claude Code', [
  {
    no_session: /^no conversation found/i,
    unusable: /^unknown option/i,
    quota:
      /^(?:claude (?:ai )?usage limit|usage limit reached|you've (?:hit|reached) your (?:\w+ )?limit|(?:\S+ )?limit reached|spend(?:ing)? limit)/i,
    auth: /^(?:not logged in|please run \/login|authentication_failed|failed to authenticate|no api key)/i,
    context: /^context (?:limit|window)/i,
  },
  ANTHROPIC_WORDS,
]);

/** The model name of messages that the CLI itself wrote, such as an API error. The result repeats them. */
const NOT_THE_MODEL = '<synthetic>';

export function createClaudeReader(): StreamReader {
  const usage = createCumulativeUsage();
  const spent = { input: 0, output: 0, cached: 0, cost: 0 };
  let session: string | undefined;
  let ended = false;

  function readSystem(event: z.infer<typeof System>): AgentEvent[] {
    if (event.subtype === 'api_retry') return readRetry(event);
    if (event.subtype !== 'init' || event.session_id === undefined || event.session_id === session) return [];
    session = event.session_id;
    return [{ type: 'session', id: session }];
  }

  /**
   * Claude Code retries a refused key ten times over minutes, but a person is needed at once. A second refusal is no
   * accident.
   */
  function readRetry(event: z.infer<typeof System>): AgentEvent[] {
    const message = describeRetry(event);
    const hopeless = event.error_status === 401 || event.error_status === 403;
    if (!hopeless || (event.attempt ?? 1) < 2 || ended) return [{ type: 'retry', message }];
    ended = true;
    const why =
      `The model's provider refuses the key: HTTP ${event.error_status} ${event.error ?? ''}`.trim();
    return [{ type: 'ended', ok: false, reason: 'auth', message: why }];
  }

  function readAssistant({ message, parent_tool_use_id }: z.infer<typeof Assistant>): AgentEvent[] {
    if (message.model === NOT_THE_MODEL) return [];
    // A sub-agent's text is addressed to the agent that started it, but its actions count like any other.
    const spoken = parent_tool_use_id ? [] : message.content.flatMap(readText);
    const figures = message.usage && [
      usage.request(message.id, {
        input:
          message.usage.input_tokens +
          message.usage.cache_creation_input_tokens +
          message.usage.cache_read_input_tokens,
        output: message.usage.output_tokens,
        cached: message.usage.cache_read_input_tokens,
      }),
    ];
    return [...spoken, ...message.content.flatMap(readToolUse), ...(figures ?? [])];
  }

  function readResult(result: Result): AgentEvent[] {
    for (const model of Object.values(result.model_usage_since_last_result ?? {})) {
      spent.input += model.inputTokens + model.cacheReadInputTokens + model.cacheCreationInputTokens;
      spent.output += model.outputTokens;
      spent.cached += model.cacheReadInputTokens;
      spent.cost += model.costUSD;
    }
    const figures = result.model_usage_since_last_result ? [usage.total(spent, spent.cost)] : [];
    // A message that arrived meanwhile is processed next, so the turn continues.
    if (result.queued_turn_count > 0) return figures;
    ended = true;
    return [...figures, endOf(result)];
  }

  return {
    read: readLinesBy(
      Line,
      (json) => SILENT.test(typeOf(json)),
      (event) => {
        if (event.type !== 'result') ended = ended && event.type === 'system';
        switch (event.type) {
          case 'system':
            return readSystem(event);
          case 'assistant':
            return readAssistant(event);
          case 'user':
            return event.message.content.flatMap((block) => readToolResult(block, event));
          case 'result':
            return readResult(event);
        }
      },
    ),
    end: (exit) => (ended ? [] : [ENDS.ofExit(exit)]),
  };
}

function describeRetry(event: z.infer<typeof System>): string {
  const why = [event.error_status, event.error].filter(Boolean).join(' ') || 'no connection';
  const which = event.attempt ? `, try ${event.attempt} of ${event.max_retries ?? '?'}` : '';
  return `The model's API failed (${why}); Claude Code tries again${which}.`;
}

function readText(block: unknown): AgentEvent[] {
  const text = Text.safeParse(block);
  return text.success ? [{ type: 'text', text: `${text.data.text}\n` }] : [];
}

function readToolUse(block: unknown): AgentEvent[] {
  const parsed = ToolUse.safeParse(block);
  if (!parsed.success) return [];
  const { id, name, input } = parsed.data;
  const path = [input.file_path, input.notebook_path].find((value) => typeof value === 'string');
  const kind = KINDS[name] ?? 'other';
  const command = kind === 'command' && typeof input.command === 'string' ? input.command : undefined;
  return [
    {
      type: 'tool_started',
      id,
      kind,
      title: command ?? [name, path].filter(Boolean).join(' '),
      ...(command === undefined ? {} : { command }),
      paths: typeof path === 'string' ? [path] : [],
    },
  ];
}

function readToolResult(block: unknown, { tool_result_meta }: z.infer<typeof User>): AgentEvent[] {
  const parsed = ToolResult.safeParse(block);
  if (!parsed.success) return [];
  const { tool_use_id: id, content, is_error } = parsed.data;
  const output = outputTail(textOf(content));
  const decision = tool_result_meta?.find((meta) => meta.id === id)?.permission_decision;
  // The exit code is printed only for a command that failed.
  const [, exitCode] = is_error ? (/^Exit code (\d{1,3})\b/.exec(output) ?? []) : [];
  return [
    {
      type: 'tool_ended',
      id,
      ok: !is_error,
      ...(exitCode === undefined ? {} : { exit_code: Number(exitCode) }),
      refused: decision?.decision === 'reject',
      output,
      paths: [],
    },
  ];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part) => {
      const text = Text.safeParse(part);
      return text.success ? [text.data.text] : [];
    })
    .join('\n');
}

function endOf(result: Result): AgentEvent {
  const message = result.errors?.join('\n') || result.result || result.terminal_reason || result.subtype;
  const failed = (end: End): AgentEvent => ({ type: 'ended', ok: false, ...end, message });
  if (result.subtype === 'error_max_turns') return failed({ reason: 'max_turns' });
  // An API error arrives as a success with the error flag set.
  if (result.subtype === 'success' && result.is_error) {
    return failed(ENDS.ofFailure(message, result.api_error_status ?? undefined));
  }
  if (result.subtype === 'success') return { type: 'ended', ok: true, reason: 'done' };
  if (result.terminal_reason?.startsWith('aborted')) return failed({ reason: 'interrupted' });
  const end = ENDS.ofFailure(message);
  return failed(end.reason === 'api_error' ? { reason: 'failed' } : end);
}
