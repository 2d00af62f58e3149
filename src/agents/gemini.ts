import * as z from 'zod';
import type { Agent, AgentHook, TurnSpec } from './agent.ts';
import { decodedPath } from './decoded-path.ts';
import { askingCommand } from './hook-command.ts';
import type { KeyRoute } from './key-route.ts';
import { readEdit } from './read-edit.ts';
import { createGeminiReader, EDIT_TOOLS, SHELL_TOOL } from './readers/gemini-reader.ts';
import { quoteShellWords } from './shell-words.ts';
import { turnEnvironment } from './turn-environment.ts';

/** The longest timer, in milliseconds. A hook that times out lets the edit through. */
const HOOK_TIMEOUT_MS = 2 ** 31 - 1;

const FOLDER = 'gemini/.gemini';
const SHELL_RESULT = `${FOLDER}/shell-result.mjs`;

/** Gemini CLI, headless. It cannot receive messages while its turn runs, and a cut stream ends the turn. */
export const gemini: Agent = {
  name: 'gemini',
  npmPackage: '@google/gemini-cli',
  node: 20,
  testedVersion: '0.61.0',
  keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
  environment: [
    'GEMINI_API_KEY',
    'GEMINI_MODEL',
    'GOOGLE_API_KEY',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_VERTEX_BASE_URL',
  ],
  decodesPaths: true,
  keyRoute,
  configFiles: { anywhere: ['GEMINI.md'], above: ['GEMINI.md', '.gemini/.env'], atTop: ['.gemini'] },
  start(turn) {
    return {
      argv: [
        'gemini',
        ...(turn.session ? ['--resume', turn.session] : ['--session-id', turn.newSession]),
        ...['--output-format', 'stream-json', '--approval-mode', 'yolo', '--skip-trust'],
      ],
      // stdin instead of `--prompt`, because one argument holds at most 128 KiB.
      stdin: turn.prompt,
      env: {
        ...turnEnvironment(turn),
        ...addresses(turn.env),
        GEMINI_CLI_HOME: `${turn.home}/gemini`,
      },
      homeFiles: [
        { path: `${FOLDER}/settings.json`, text: JSON.stringify(settings(turn), null, 2) },
        { path: SHELL_RESULT, text: SHELL_RESULT_SCRIPT },
        // The context file of all projects. Replacing the system prompt would remove Gemini's own.
        { path: `${FOLDER}/GEMINI.md`, text: turn.instructions },
      ],
    };
  },
  createReader: createGeminiReader,
  hook: geminiHook(),
  sessionFiles: (session) => [
    `${FOLDER}/projects.json`,
    `${FOLDER}/tmp/*/.project_root`,
    `${FOLDER}/history/*/.project_root`,
    `${FOLDER}/tmp/*/chats/session-*-${session.slice(0, 8)}.json*`,
  ],
  relocate(file, { from, to }) {
    const { path, text } = file;
    if (text === undefined) return file;
    if (path.endsWith('/.project_root')) return { path, text: text.trim() === from ? to : text };
    if (!path.endsWith('/projects.json')) return file;
    const registry = Registry.parse(JSON.parse(text));
    const moved = Object.entries(registry.projects).map(([dir, slug]) => [dir === from ? to : dir, slug]);
    return { path, text: JSON.stringify({ ...registry, projects: Object.fromEntries(moved) }, null, 2) };
  },
};

const Registry = z.looseObject({ projects: z.record(z.string(), z.string()) });

function settings({ hook, home, files, env }: TurnSpec): Record<string, unknown> {
  return {
    security: { auth: { selectedType: authType(env) } },
    // Unbounded retries hide that the model is gone. These take about half a minute.
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 4 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    // A sub-agent's work is not in the stream.
    experimental: { enableAgents: false },
    tools: { exclude: ['invoke_agent'] },
    // A `.env` that the agent left in the worktree could send the next turn's key elsewhere.
    advanced: { ignoreLocalEnv: true },
    hooksConfig: { enabled: true },
    hooks: {
      BeforeTool: [
        {
          matcher: `^(${EDIT_TOOLS.join('|')})$`,
          hooks: [
            {
              name: 'autobuild-gate',
              type: 'command',
              command: askingCommand(hook),
              timeout: HOOK_TIMEOUT_MS,
              env: { AUTOBUILD_GATE: files.gate },
            },
          ],
        },
      ],
      AfterTool: [
        {
          matcher: `^${SHELL_TOOL}$`,
          hooks: [
            {
              name: 'autobuild-shell-result',
              type: 'command',
              command: quoteShellWords(['node', `${home}/${SHELL_RESULT}`]),
            },
          ],
        },
      ],
    },
  };
}

/** A cloud account signs in with more than one header. */
function keyRoute(env: Readonly<Record<string, string | undefined>>): KeyRoute | 'cloud' | undefined {
  if (authType(env) === 'vertex-ai') return 'cloud';
  if (!env.GEMINI_API_KEY) return undefined;
  return {
    keys: [{ variable: 'GEMINI_API_KEY', header: 'x-goog-api-key' }],
    address: 'GOOGLE_GEMINI_BASE_URL',
    upstream: env.GOOGLE_GEMINI_BASE_URL || 'https://generativelanguage.googleapis.com',
    paths: ['/v1beta/models', '/v1beta/models/', '/v1/models/'],
  };
}

/** An empty value is set on purpose, so that a `.env` above the worktree cannot name another address for the key. */
function addresses(env: TurnSpec['env']): Record<string, string> {
  return {
    GOOGLE_GEMINI_BASE_URL: env?.GOOGLE_GEMINI_BASE_URL ?? '',
    GOOGLE_VERTEX_BASE_URL: env?.GOOGLE_VERTEX_BASE_URL ?? '',
  };
}

/** Set explicitly, because Gemini CLI would take another API address for a kind of key that it then refuses. */
function authType(env: TurnSpec['env']): string {
  const cloud = env?.GOOGLE_GENAI_USE_VERTEXAI === 'true';
  const keyOfCloud = env?.GOOGLE_API_KEY || env?.GOOGLE_APPLICATION_CREDENTIALS;
  return cloud || (!env?.GEMINI_API_KEY && keyOfCloud) ? 'vertex-ai' : 'gemini-api-key';
}

/**
 * The stream omits the exit code of a command that printed something, while the model gets it. A failed command's
 * result is passed as an error with the text for the model, so that both see the same.
 */
const SHELL_RESULT_SCRIPT = `import { readFileSync } from "node:fs";
const { tool_response } = JSON.parse(readFileSync(0, "utf8"));
const result = String(tool_response?.llmContent ?? "");
const said = result.replace(/\\n<\\/untrusted_context>\\s*$/, "");
const lines = said.split("\\n").slice(1).slice(-8).reverse();
const top = lines.findIndex((line) => !/^(Signal|Background PIDs|Process Group PGID): /.test(line));
const trailer = top === -1 ? lines : lines.slice(0, top + 1);
if (trailer.some((line) => /^(Exit Code: [1-9]|Signal: )/.test(line))) {
  const reason = result.length > 30000 ? "<untrusted_context>\\nOutput: (cut) " + result.slice(-30000) : result;
  console.log(JSON.stringify({ decision: "deny", reason }));
} else {
  console.log("{}");
}
`;

const HookInput = z.object({
  tool_name: z.string(),
  tool_input: z.looseObject({ file_path: z.string().min(1).optional() }),
});

function geminiHook(): AgentHook {
  return {
    readAsk(input) {
      const parsed = HookInput.safeParse(input);
      if (!parsed.success)
        return `what Gemini CLI told its hook could not be read: ${z.prettifyError(parsed.error)}`;
      const { tool_name: tool, tool_input } = parsed.data;
      if (tool_input.file_path === undefined)
        return EDIT_TOOLS.includes(tool) ? `${tool} names no file` : undefined;
      const path = decodedPath(tool_input.file_path);
      return path === undefined
        ? 'the path is encoded more than once, or is an address'
        : { path, tool, edit: readEdit(tool_input) };
    },
    answer({ decision, reason }) {
      const allowed = decision === 'allow';
      return {
        stdout: `${JSON.stringify(allowed ? { decision } : { decision, reason })}\n`,
        stderr: '',
        exitCode: allowed ? 0 : 2,
      };
    },
  };
}
