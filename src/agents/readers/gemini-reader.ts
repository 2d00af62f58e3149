import * as z from 'zod';
import type { AgentEvent, ToolKind } from '../../core/contracts/agent/agent-event.ts';
import type { StreamReader } from '../agent.ts';
import { decodedPath } from '../decoded-path.ts';
import { createEndReasons, type End, type EndReason } from './end-reason.ts';
import { createEnding } from './ending.ts';
import { parseJsonLine, readLinesBy, typeOf } from './json-line.ts';
import { outputTail } from './output-tail.ts';
import { GOOGLE_WORDS } from './provider-words.ts';

/** Every tool that writes a file directly. Files written by the shell are found by watching the worktree. */
export const EDIT_TOOLS = ['write_file', 'replace'];
export const SHELL_TOOL = 'run_shell_command';

const KINDS: Record<string, ToolKind> = {
  ...Object.fromEntries(EDIT_TOOLS.map((tool) => [tool, 'edit' as const])),
  [SHELL_TOOL]: 'command',
  read_file: 'read',
  read_many_files: 'read',
  list_directory: 'read',
  glob: 'search',
  grep_search: 'search',
  search_file_content: 'search',
  google_web_search: 'search',
  web_fetch: 'search',
};

const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().catch(0);

const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('init'), session_id: z.string() }),
  z.object({
    type: z.literal('message'),
    role: z.string(),
    content: z.string(),
    delta: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('tool_use'),
    tool_name: z.string(),
    tool_id: z.string(),
    parameters: z.object({ file_path: text, dir_path: text, command: text }).catch({}),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_id: z.string(),
    status: z.string(),
    output: text,
    error: z.object({ message: z.string() }).optional().catch(undefined),
  }),
  z.object({ type: z.literal('error'), severity: text, message: z.string() }),
  z.object({
    type: z.literal('result'),
    status: z.string(),
    error: z.object({ type: text, message: z.string() }).optional().catch(undefined),
    stats: z.object({ input_tokens: count, output_tokens: count, cached: count }).optional().catch(undefined),
  }),
]);
type Line = z.infer<typeof Line>;
/** Lines that are never the agent's own text. */
const SILENT = /^(?:init|tool_use|tool_result|error|result)$/;
type Use = Extract<Line, { type: 'tool_use' }>;
type Result = Extract<Line, { type: 'tool_result' }>;

/** Exit codes of ends that the CLI does not print in its stream. */
const REASON_BY_EXIT: Record<number, EndReason> = { 41: 'auth', 53: 'max_turns', 130: 'interrupted' };

const ENDS = createEndReasons('Gemini CLI', [
  {
    // A session is not kept if the model's first call failed.
    no_session: /^Error resuming session/,
    // The last line of its help is its answer to an option that it does not know.
    unusable: /^(?:unknown arguments?\b| +-h, --help +Show help)/i,
    quota: /^you have exhausted your daily quota/i,
    context: /^(?:context window will overflow|sending this message \(\d+ tokens\) might exceed)/i,
    rate_limit: /^you have exhausted your capacity/i,
  },
  GOOGLE_WORDS,
]);

export function createGeminiReader(): StreamReader {
  const ending = createEnding();
  const { finish } = ending;
  let lastError: string | undefined;
  /** True when the text so far has no line end, so that the next message begins on a new line. */
  let midLine = false;

  function endLine(): AgentEvent[] {
    if (!midLine) return [];
    midLine = false;
    return [{ type: 'text', text: '\n', delta: true }];
  }

  return {
    read: readLinesBy(
      Line,
      (json) => SILENT.test(typeOf(json)),
      (event) => {
        switch (event.type) {
          case 'init':
            return [{ type: 'session', id: event.session_id }];
          case 'message':
            if (event.role !== 'assistant') return [];
            midLine = !event.content.endsWith('\n');
            return [{ type: 'text', text: event.content, delta: true }];
          case 'tool_use':
            return [...endLine(), startOf(event)];
          case 'tool_result':
            return [endOf(event)];
          case 'error':
            // Gemini CLI recovers from every warning except for this one, which stops it.
            if (event.severity !== 'warning' || event.message.startsWith('Loop detected'))
              lastError = event.message;
            return [];
          case 'result': {
            const { stats } = event;
            const figures = stats ? [usageOf(stats)] : [];
            if (event.status === 'success' && lastError === undefined)
              return [...endLine(), ...figures, ...finish('done')];
            const failure = event.error ?? {
              message: lastError ?? 'Gemini CLI ended with an error it does not name.',
            };
            return [...endLine(), ...figures, ...finish(reasonOf(failure), saidByProvider(failure.message))];
          }
        }
      },
    ),
    end(exit) {
      if (ending.hasEnded) return [];
      const stderr = exit.stderr?.replaceAll(CHATTER, '') ?? '';
      const missing = ENDS.ofExit({ ...exit, stderr }, lastError);
      const reason = REASON_BY_EXIT[exit.code ?? -1];
      return [reason ? { ...missing, reason } : missing];
    },
  };
}

/** Lines that it always prints to stderr. */
const CHATTER = /^(?:YOLO mode is enabled|Ripgrep is not available|Warning: ).*\n?/gm;
function startOf({ tool_name, tool_id, parameters }: Use): AgentEvent {
  const { command, file_path, dir_path } = parameters;
  const given = file_path ?? dir_path;
  const path = given === undefined ? undefined : (decodedPath(given) ?? given);
  return {
    type: 'tool_started',
    id: tool_id,
    kind: KINDS[tool_name] ?? 'other',
    title: command ?? [tool_name, path].filter(Boolean).join(' '),
    ...(command === undefined ? {} : { command }),
    paths: path === undefined ? [] : [path],
  };
}

const REFUSED = 'Tool execution blocked: ';
/** Lines that the shell tool appends to a command's output after its exit code or signal. */
const BELOW = /^(?:Signal|Background PIDs|Process Group PGID): /;
const EXIT_CODE = /^Exit Code: (\d+)$/;
/** The most lines of such a trailer. */
const TRAILER_LINES = 8;
/** The wrapper that marks outside text for the model. */
const WRAPPING = /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>\s*$/;
const SILENT_FAILURE = /^Command exited with code: (\d+)$/;

function endOf({ tool_id, status, output = '', error }: Result): AgentEvent {
  const said = (error?.message ?? output).replace(WRAPPING, '$1');
  const trailer = trailerOf(said);
  const exitCode = trailer?.exitCode ?? SILENT_FAILURE.exec(said)?.[1];
  const shown = trailer ? said.slice(0, trailer.at).replace(/^Output: /, '') : said;
  return {
    type: 'tool_ended',
    id: tool_id,
    ok: status === 'success' && exitCode === undefined,
    ...(exitCode === undefined ? {} : { exit_code: Number(exitCode) }),
    refused: status !== 'success' && said.startsWith(REFUSED),
    output: outputTail(shown),
    paths: [],
  };
}

/** Reads line by line from the end, because a command may print any number of lines that look like a trailer. */
function trailerOf(said: string): { at: number; exitCode?: string } | undefined {
  let signal: { at: number } | undefined;
  let end = said.length;
  for (let lines = 0; lines < TRAILER_LINES; lines += 1) {
    const at = end > 0 ? said.lastIndexOf('\n', end - 1) : -1;
    if (at === -1) break;
    const line = said.slice(at + 1, end);
    const exitCode = EXIT_CODE.exec(line)?.[1];
    if (exitCode !== undefined) return { at, exitCode };
    if (!BELOW.test(line)) break;
    if (line.startsWith('Signal: ')) signal = { at };
    end = at;
  }
  return signal;
}

const TURNS_USED_UP = /^(?:Reached max|Maximum) session turns\b/i;

function reasonOf({ type, message }: { type?: string; message: string }): End {
  if (type === 'FatalTurnLimitedError' || TURNS_USED_UP.test(message)) return { reason: 'max_turns' };
  if (type === 'FatalAuthenticationError') return { reason: 'auth' };
  if (type === 'FatalCancellationError') return { reason: 'interrupted' };
  return message.startsWith('[API Error') ? ENDS.ofApiFailure(message) : { reason: 'failed' };
}

/** `[API Error: {"error":{"message":"…"}}]` contains the provider's own message. */
function saidByProvider(message: string): string {
  const [, inner] = /^\[API Error: (\{.*\})\]$/s.exec(message) ?? [];
  const body = ProviderError.safeParse(inner === undefined ? undefined : parseJsonLine(inner));
  return body.success ? body.data.error.message : message;
}

const ProviderError = z.object({ error: z.object({ message: z.string() }) });

function usageOf(stats: { input_tokens: number; output_tokens: number; cached: number }): AgentEvent {
  const { cached, ...tokens } = stats;
  return { type: 'usage', scope: 'run', ...tokens, ...(cached > 0 ? { cached_tokens: cached } : {}) };
}
