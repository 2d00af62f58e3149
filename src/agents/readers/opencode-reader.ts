import * as z from 'zod';
import type { AgentEvent, ToolKind } from '../../core/contracts/agent/agent-event.ts';
import type { StreamReader } from '../agent.ts';
import { pathsOfPatch } from '../patch-paths.ts';
import { createEndReasons, type End } from './end-reason.ts';
import { createEnding } from './ending.ts';
import { readLinesBy, typeOf } from './json-line.ts';
import { outputTail } from './output-tail.ts';
import { ANTHROPIC_WORDS, GOOGLE_WORDS, OPENAI_WORDS } from './provider-words.ts';

/** Every tool that writes a file directly. Files written by the shell are found by watching the worktree. */
export const EDIT_TOOLS = ['write', 'edit', 'multiedit', 'patch', 'apply_patch'];
/** The prefix of the plugin's refusals. */
export const REFUSED = 'Autobuild refused this: ';

const KINDS: Record<string, ToolKind> = {
  ...Object.fromEntries(EDIT_TOOLS.map((tool) => [tool, 'edit' as const])),
  bash: 'command',
  read: 'read',
  list: 'read',
  glob: 'search',
  grep: 'search',
  webfetch: 'search',
  websearch: 'search',
};

const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().catch(0);
const Input = z.object({ filePath: text, path: text, command: text, patchText: text }).catch({});

const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('step_start'), sessionID: z.string() }),
  z.object({ type: z.literal('text'), sessionID: z.string(), part: z.object({ text: z.string() }) }),
  z.object({
    type: z.literal('tool_use'),
    sessionID: z.string(),
    part: z.object({
      tool: z.string(),
      callID: z.string(),
      state: z.object({
        status: z.string(),
        input: Input,
        output: text,
        error: text,
        metadata: z
          .object({ exit: z.number().int().nullish().catch(undefined), filepath: text })
          .optional()
          .catch(undefined),
      }),
    }),
  }),
  z.object({
    type: z.literal('step_finish'),
    sessionID: z.string(),
    part: z.object({
      reason: z.string(),
      tokens: z
        .object({
          input: count,
          output: count,
          reasoning: count,
          cache: z.object({ read: count, write: count }).catch({ read: 0, write: 0 }),
        })
        .optional()
        .catch(undefined),
      cost: z.number().nonnegative().optional().catch(undefined),
    }),
  }),
  z.object({
    type: z.literal('error'),
    error: z.object({
      name: z.string().catch('UnknownError'),
      data: z
        .object({ message: text, statusCode: z.number().int().optional().catch(undefined) })
        .optional()
        .catch(undefined),
    }),
  }),
  /** An event of our plugin. */
  z.object({
    type: z.literal('autobuild'),
    session: text,
    retry: text,
    tool: text,
    sessionID: text,
    callID: text,
    input: Input.optional(),
  }),
]);
type Line = z.infer<typeof Line>;
/** Its reasoning, and lines that are never its own text. */
const SILENT = /^(?:reasoning|step_start|step_finish|tool_use|error|autobuild)$/;

/** Bounds the memory for an agent that never ends its calls. */
const OPEN_CALLS_KEPT = 1_000;

const ENDS = createEndReasons('OpenCode', [
  {
    no_session: /^Session not found\b/i,
    quota: /^(?:quota exceeded|usage limit reached|insufficient balance)/i,
    context: /^input exceeds context window/i,
  },
  OPENAI_WORDS,
  ANTHROPIC_WORDS,
  GOOGLE_WORDS,
]);

export function createOpencodeReader(): StreamReader {
  let session: string | undefined;
  const ending = createEnding();
  const { finish } = ending;
  let lastFinish: string | undefined;
  /** Calls whose start the plugin reported. */
  const begun = new Set<string>();

  function nameSession(id: string | undefined): AgentEvent[] {
    if (id === undefined || session !== undefined) return [];
    session = id;
    return [{ type: 'session', id }];
  }

  function readPlugin(event: Extract<Line, { type: 'autobuild' }>): AgentEvent[] {
    const { tool, callID, retry } = event;
    const named = nameSession(event.session ?? event.sessionID);
    if (retry !== undefined) {
      // OpenCode would retry for hours, but a used-up quota does not recover by itself.
      const spent = ENDS.ofApiFailure(retry).reason === 'quota' ? finish('quota', retry) : [];
      return [{ type: 'retry', message: retry }, ...spent];
    }
    // A sub-agent's calls never end in the stream.
    if (tool === undefined || callID === undefined || event.sessionID !== session) return named;
    if (begun.size >= OPEN_CALLS_KEPT) begun.clear();
    begun.add(callID);
    return [...named, startOf(tool, callID, event.input ?? {})];
  }

  return {
    read: readLinesBy(
      Line,
      (json) => SILENT.test(typeOf(json)),
      (event) => {
        if (event.type === 'autobuild') return readPlugin(event);
        if (event.type === 'error') return finish(endByError(event.error), messageOf(event.error));
        const named = nameSession(event.sessionID);
        switch (event.type) {
          case 'step_start':
            return named;
          case 'text':
            return [...named, { type: 'text', text: `${event.part.text}\n` }];
          case 'tool_use': {
            const { tool, callID, state } = event.part;
            const start = begun.delete(callID) ? [] : [startOf(tool, callID, state.input)];
            return [...named, ...start, endOf(callID, state)];
          }
          case 'step_finish':
            lastFinish = event.part.reason;
            return [...named, ...usageOf(event.part)];
        }
      },
    ),
    end(exit) {
      if (ending.hasEnded) return [];
      if (exit.code === 0 && lastFinish === 'stop') return finish('done');
      if (exit.code === 0 && lastFinish === 'length')
        return finish('context', "The model's answer reached its length limit.");
      const stderr = exit.stderr?.replaceAll(COLOUR, '') ?? '';
      if (!exit.toolsRan && !exit.signal && USAGE.test(stderr)) return finish('unusable', NOT_UNDERSTOOD);
      return [ENDS.ofExit({ ...exit, stderr })];
    },
  };
}

/** OpenCode colours its errors even without a terminal. */
const COLOUR = /\x1b\[[0-9;]*m/g;
/** Its whole answer to an option that it does not know is its help. */
const USAGE = /^opencode run \[message/m;
const NOT_UNDERSTOOD = 'it printed its help instead of starting';

function startOf(tool: string, id: string, input: z.infer<typeof Input>): AgentEvent {
  const { command, patchText } = input;
  const path = input.filePath ?? input.path;
  const paths =
    patchText === undefined ? [path].filter((name) => name !== undefined) : pathsOfPatch(patchText);
  return {
    type: 'tool_started',
    id,
    kind: KINDS[tool] ?? 'other',
    title: command ?? [tool, ...paths].join(' '),
    ...(command === undefined ? {} : { command }),
    paths,
  };
}

function endOf(id: string, state: Extract<Line, { type: 'tool_use' }>['part']['state']): AgentEvent {
  const { status, output, error, metadata } = state;
  const exit = metadata?.exit;
  const completed = status === 'completed';
  return {
    type: 'tool_ended',
    id,
    ok: completed && (exit ?? 0) === 0,
    ...(typeof exit === 'number' ? { exit_code: exit } : {}),
    refused: !completed && error?.startsWith(REFUSED) === true,
    output: outputTail(error ?? output ?? ''),
    paths: metadata?.filepath === undefined ? [] : [metadata.filepath],
  };
}

function usageOf({ tokens, cost }: Extract<Line, { type: 'step_finish' }>['part']): AgentEvent[] {
  if (!tokens) return [];
  return [
    {
      type: 'usage',
      scope: 'step',
      input_tokens: tokens.input + tokens.cache.read + tokens.cache.write,
      output_tokens: tokens.output + tokens.reasoning,
      ...(tokens.cache.read > 0 ? { cached_tokens: tokens.cache.read } : {}),
      ...(cost === undefined ? {} : { cost_usd: cost }),
    },
  ];
}

type Failure = Extract<Line, { type: 'error' }>['error'];

function messageOf({ name, data }: Failure): string {
  return data?.message ?? name;
}

function endByError(error: Failure): End {
  if (error.name === 'ProviderAuthError') return { reason: 'auth' };
  if (error.name === 'MessageAbortedError') return { reason: 'interrupted' };
  if (error.name === 'ContextOverflowError' || error.name === 'MessageOutputLengthError')
    return { reason: 'context' };
  const end = ENDS.ofApiFailure(messageOf(error), error.data?.statusCode);
  return end.reason === 'api_error' && error.name !== 'APIError' ? { reason: 'failed' } : end;
}
