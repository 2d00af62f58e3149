import * as z from 'zod';
import type { Agent, AgentHook, TurnSpec } from './agent.ts';
import { refusingCommand } from './hook-command.ts';
import type { KeyRoute } from './key-route.ts';
import { readEdit } from './read-edit.ts';
import { createClaudeReader } from './readers/claude-reader.ts';
import { parseJsonLine } from './readers/json-line.ts';
import { turnEnvironment } from './turn-environment.ts';

/** Every tool that writes a file directly. Files written by the shell are found by watching the worktree. */
const WRITING_TOOLS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

/**
 * Withheld because nobody is there to answer, the working directory is fixed, and nothing may continue after the turn.
 */
const WITHHELD_TOOLS = [
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'EnterWorktree',
  'ExitWorktree',
  'ScheduleWakeup',
];

/** The gate holds an edit until a person has decided. A week is well within the range of a timer. */
const HOOK_TIMEOUT_S = 7 * 24 * 3600;

const KEEP_SESSIONS_DAYS = 3650;

/** Claude Code, headless. It reads messages from stdin while that is open, even in the middle of a turn. */
export const claude: Agent = {
  name: 'claude',
  npmPackage: '@anthropic-ai/claude-code',
  node: 22,
  testedVersion: '2.1.325',
  keys: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_AUTH_TOKEN'],
  environment: ['ANTHROPIC_*', 'CLAUDE_CODE_OAUTH_TOKEN'],
  login: {
    file: '.credentials.json',
    directory: '.claude',
    directoryVariable: 'CLAUDE_CONFIG_DIR',
    variable: 'CLAUDE_CODE_OAUTH_TOKEN',
    readToken,
  },
  keyRoute,
  configFiles: {
    anywhere: ['CLAUDE.md', 'CLAUDE.local.md', '.claude'],
    above: ['CLAUDE.md', 'CLAUDE.local.md'],
  },
  start(turn) {
    return {
      argv: [
        'claude',
        '-p',
        ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
        ...(turn.session ? ['--resume', turn.session] : ['--session-id', turn.newSession]),
        ...['--permission-mode', 'bypassPermissions'],
        ...['--disallowedTools', WITHHELD_TOOLS.join(',')],
        // Tools of an MCP server could write without asking the gate.
        '--strict-mcp-config',
        ...['--append-system-prompt', turn.instructions],
        ...['--settings', JSON.stringify(settings(turn))],
      ],
      stdin: encodeMessage(turn.prompt),
      keepStdinOpen: true,
      env: {
        ...turnEnvironment(turn),
        CLAUDE_CONFIG_DIR: `${turn.home}/claude`,
        // Without it, the permission mode is refused to root, and containers run as root.
        IS_SANDBOX: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
        CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
        CLAUDE_CODE_DISABLE_CRON: '1',
      },
    };
  },
  createReader: createClaudeReader,
  hook: claudeHook(),
  encodeMessage,
  sessionFiles: (session) => [`claude/projects/*/${session}.jsonl`, `claude/projects/*/${session}/**`],
};

/** Claude Code prefers both of these keys to a login. */
function keyRoute(env: Readonly<Record<string, string | undefined>>): KeyRoute | 'login' | undefined {
  const keys = [
    { variable: 'ANTHROPIC_AUTH_TOKEN', header: 'authorization' as const },
    { variable: 'ANTHROPIC_API_KEY', header: 'x-api-key' as const },
  ].filter(({ variable }) => env[variable]);
  if (keys.length === 0) return env.CLAUDE_CODE_OAUTH_TOKEN ? 'login' : undefined;
  return {
    keys,
    address: 'ANTHROPIC_BASE_URL',
    upstream: env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com',
    paths: ['/v1/messages', '/v1/messages/count_tokens', '/v1/models', '/v1/models/'],
  };
}

/** Passed on the command line, where no file in the worktree or in the agent's home can override them. */
function settings({ hook }: TurnSpec): Record<string, unknown> {
  // The shell refuses if the hook is missing. The agent refuses if the shell is missing or the time is up.
  const command = refusingCommand(hook);
  return {
    disableAllHooks: false,
    cleanupPeriodDays: KEEP_SESSIONS_DAYS,
    hooks: {
      PreToolUse: [
        {
          matcher: WRITING_TOOLS.join('|'),
          hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_S, onFailure: 'block' }],
        },
      ],
    },
  };
}

function encodeMessage(text: string): string {
  const message = { role: 'user', content: [{ type: 'text', text }] };
  return `${JSON.stringify({ type: 'user', message })}\n`;
}

const Credentials = z.object({
  claudeAiOauth: z.object({ accessToken: z.string().min(1), expiresAt: z.number().optional() }),
});

/** Without the refresh token, because its use here would end the login of the user's own copy. */
function readToken(text: string, now: number): string | undefined {
  const login = Credentials.safeParse(parseJsonLine(text)).data?.claudeAiOauth;
  return login && (login.expiresAt ?? Number.POSITIVE_INFINITY) > now ? login.accessToken : undefined;
}

const HookInput = z.object({
  tool_name: z.string(),
  tool_input: z.looseObject({
    file_path: z.string().min(1).optional(),
    notebook_path: z.string().min(1).optional(),
  }),
});

function claudeHook(): AgentHook {
  return {
    readAsk(input) {
      const parsed = HookInput.safeParse(input);
      if (!parsed.success)
        return `what Claude Code told its hook could not be read: ${z.prettifyError(parsed.error)}`;
      const { tool_name: tool, tool_input } = parsed.data;
      const path = tool_input.file_path ?? tool_input.notebook_path;
      if (path !== undefined) return { path, tool, edit: readEdit(tool_input) };
      return WRITING_TOOLS.includes(tool) ? `${tool} names no file` : undefined;
    },
    answer: ({ decision, reason }) =>
      decision === 'allow'
        ? { stdout: '', stderr: '', exitCode: 0 }
        : { stdout: '', stderr: `${reason}\n`, exitCode: 2 },
  };
}
