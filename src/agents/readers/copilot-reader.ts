import * as z from 'zod';
import type { AgentEvent, ToolKind } from '../../core/contracts/agent/agent-event.ts';
import type { StreamReader } from '../agent.ts';
import { pathsOfPatch } from '../patch-paths.ts';
import { createEndReasons, type End } from './end-reason.ts';
import { createEnding } from './ending.ts';
import { parseJsonLine, readLinesBy, typeOf } from './json-line.ts';
import { outputTail } from './output-tail.ts';
import { ANTHROPIC_WORDS, GOOGLE_WORDS, OPENAI_WORDS } from './provider-words.ts';

/**
 * Every tool that writes a file directly, by model family. Files written by the shell are found by watching the
 * worktree.
 */
export const EDIT_TOOLS = [
  'apply_patch',
  'create',
  'edit',
  'insert',
  'str_replace',
  'str_replace_editor',
  'write',
];

const KINDS: Record<string, ToolKind> = {
  ...Object.fromEntries(EDIT_TOOLS.map((tool) => [tool, 'edit' as const])),
  bash: 'command',
  view: 'read',
  rg: 'search',
  grep: 'search',
  glob: 'search',
  web_fetch: 'search',
  web_search: 'search',
};

const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().catch(0);
const status = z.number().int().optional().catch(undefined);
const Arguments = z.union([z.string(), z.object({ path: text, command: text, input: text, patch: text })]);

const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('assistant.message'), data: z.object({ content: z.string() }) }),
  z.object({
    type: z.literal('tool.execution_start'),
    data: z.object({ toolCallId: z.string(), toolName: z.string(), arguments: Arguments.catch({}) }),
  }),
  z.object({
    type: z.literal('tool.execution_complete'),
    data: z.object({
      toolCallId: z.string(),
      success: z.boolean(),
      shellExecution: z.object({ exitCode: z.number().int() }).optional().catch(undefined),
      fileEdits: z.array(z.object({ path: z.string() })).catch([]),
      result: z.object({ content: text }).optional().catch(undefined),
      error: z.object({ message: z.string(), code: text }).optional().catch(undefined),
    }),
  }),
  z.object({
    type: z.literal('model.call_failure'),
    data: z.object({ statusCode: status, errorMessage: text }),
  }),
  z.object({
    type: z.literal('session.error'),
    data: z.object({ errorType: text, message: z.string(), statusCode: status }),
  }),
  z.object({ type: z.literal('result'), sessionId: z.string(), exitCode: z.number().int() }),
]);
/** Partial messages, which also arrive whole, its reasoning, and lines that are never its own text. */
const SILENT =
  /^(?:session|model|user|system|tool|hook|subagent|skill|permission)\.|^assistant\.(?:\w+_delta|message_start|reasoning|intent|usage|turn_start|turn_end|idle)$|^result$/;

const ENDS = createEndReasons('Copilot', [
  {
    no_session: /^(?:no session\b.{0,200}(?:found|matched)|session .{0,200} could not be loaded)/i,
    unusable: /^(?:unexpected argument|unknown option)/i,
    quota:
      /^(?:quota_exceeded|you(?:'ve| have) (?:exceeded|reached|used) (?:your|all) .{0,40}(?:quota|premium requests?|allowance))/i,
    auth: /^no authentication information found/i,
  },
  OPENAI_WORDS,
  ANTHROPIC_WORDS,
  GOOGLE_WORDS,
]);

type Data<T extends z.infer<typeof Line>['type']> = Extract<
  z.infer<typeof Line>,
  { type: T; data: unknown }
>['data'];

export function createCopilotReader(): StreamReader {
  const ending = createEnding();
  const { finish } = ending;
  /** The provider's own message, which the CLI's message may leave out. */
  let said = '';
  let failure: { end: End; message: string } | undefined;

  return {
    read: readLinesBy(
      Line,
      (json) => SILENT.test(typeOf(json)),
      (event) => {
        switch (event.type) {
          // Reads whole messages only, because after a cut stream the pieces are repeated.
          case 'assistant.message':
            return event.data.content === '' ? [] : [{ type: 'text', text: `${event.data.content}\n` }];
          case 'tool.execution_start':
            return [startOf(event.data)];
          case 'tool.execution_complete':
            return [endOf(event.data)];
          case 'model.call_failure': {
            const message = saidByProvider(event.data.errorMessage ?? 'the model could not be asked');
            said = message;
            // Copilot would retry for minutes, but a used-up quota does not recover by itself.
            const spent = ENDS.ofApiFailure(message, event.data.statusCode).reason === 'quota';
            return [{ type: 'retry', message }, ...(spent ? finish('quota', message) : [])];
          }
          case 'session.error': {
            const { errorType, message, statusCode } = event.data;
            const refused: End | undefined = errorType === 'authentication' ? { reason: 'auth' } : undefined;
            const end = refused ?? ENDS.ofApiFailure(message, statusCode);
            failure = { end, message: message.includes(said) ? message : `${said}. ${message}` };
            return [];
          }
          case 'result': {
            const session: AgentEvent = { type: 'session', id: event.sessionId };
            if (event.exitCode === 0 && !failure) return [session, ...finish('done')];
            const message = `Copilot ended with exit code ${event.exitCode}.`;
            return [session, ...finish(failure?.end ?? 'failed', failure?.message ?? message)];
          }
        }
      },
    ),
    end(exit) {
      if (ending.hasEnded) return [];
      return failure ? finish(failure.end, failure.message) : [ENDS.ofExit(exit)];
    },
  };
}

function startOf({ toolCallId, toolName, arguments: given }: Data<'tool.execution_start'>): AgentEvent {
  const { path, command, input, patch } = typeof given === 'string' ? { input: given } : given;
  const patched = toolName === 'apply_patch' ? pathsOfPatch(input ?? patch ?? '') : [];
  const paths = path === undefined ? patched : [path];
  return {
    type: 'tool_started',
    id: toolCallId,
    kind: KINDS[toolName] ?? 'other',
    title: command ?? [toolName, ...paths].join(' '),
    ...(command === undefined ? {} : { command }),
    paths,
  };
}

/** The trailer that the shell tool appends to a command's output. */
const TRAILER = /\n?<shellId: \S+ completed with exit code -?\d+>\s*$/;

function endOf(data: Data<'tool.execution_complete'>): AgentEvent {
  const { toolCallId, success, shellExecution, fileEdits, result, error } = data;
  const exitCode = shellExecution?.exitCode;
  return {
    type: 'tool_ended',
    id: toolCallId,
    ok: success && (exitCode ?? 0) === 0,
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    refused: !success && error?.code === 'denied',
    output: outputTail((error?.message ?? result?.content ?? '').replace(TRAILER, '')),
    paths: fileEdits.map(({ path }) => path),
  };
}

const ProviderError = z.object({ message: z.string() });

function saidByProvider(message: string): string {
  const body = ProviderError.safeParse(parseJsonLine(message));
  return body.success ? body.data.message : message;
}

const Figures = z.object({
  modelMetrics: z.record(
    z.string(),
    z.object({
      usage: z.object({ inputTokens: count, outputTokens: count, cacheReadTokens: count }),
    }),
  ),
});

/** Reads the usage file, which counts all resumes of the session. It is empty if Copilot was killed. */
export function readFigures(file: string): AgentEvent | undefined {
  const figures = Figures.safeParse(parseJsonLine(file));
  if (!figures.success) return undefined;
  const models = Object.values(figures.data.modelMetrics).map(({ usage }) => usage);
  const sum = (pick: (usage: (typeof models)[number]) => number) =>
    models.reduce((total, usage) => total + pick(usage), 0);
  const cached = sum((usage) => usage.cacheReadTokens);
  return {
    type: 'usage',
    scope: 'session',
    input_tokens: sum((usage) => usage.inputTokens),
    output_tokens: sum((usage) => usage.outputTokens),
    ...(cached > 0 ? { cached_tokens: cached } : {}),
  };
}
