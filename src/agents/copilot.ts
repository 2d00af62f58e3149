import * as z from 'zod';
import type { Agent, AgentHook, TurnSpec } from './agent.ts';
import { askingCommand } from './hook-command.ts';
import type { KeyReason, KeyRoute } from './key-route.ts';
import { pathsOfPatch } from './patch-paths.ts';
import { readEdit } from './read-edit.ts';
import { createCopilotReader, EDIT_TOOLS, readFigures } from './readers/copilot-reader.ts';
import { turnEnvironment } from './turn-environment.ts';

const FOLDER = 'copilot';
const USAGE = `${FOLDER}/usage.json`;

/** A hook that times out lets the edit through, so the limit is the longest that a timer in milliseconds allows. */
const HOOK_TIMEOUT_S = 2_000_000;

/** Keys of GitHub's models, or of a custom provider. */
const KEYS = ['COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY', 'COPILOT_PROVIDER_BEARER_TOKEN'];

/** A sub-agent's work is not in the stream as its own. */
const SUB_AGENT_TOOLS = ['task', 'read_agent', 'list_agents', 'write_agent'];

/** GitHub Copilot CLI, headless. It prints the session's id only at its end, so it is given one. */
export const copilot: Agent = {
  name: 'copilot',
  npmPackage: '@github/copilot',
  // Its package names none; an older one does not find the program in it.
  node: 18,
  testedVersion: '1.0.102',
  // A custom provider may need no key.
  keys: [...KEYS, 'COPILOT_PROVIDER_BASE_URL'],
  environment: ['COPILOT_GITHUB_TOKEN', 'COPILOT_GH_HOST', 'COPILOT_MODEL', 'COPILOT_PROVIDER_*'],
  keyRoute,
  configFiles: {
    anywhere: ['AGENTS.md'],
    above: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'],
    ignoresCase: true,
    atTop: [
      '.copilot',
      '.github/agents',
      '.github/copilot',
      '.github/copilot-instructions.md',
      '.github/hooks',
      '.github/instructions',
      '.github/prompts',
      '.github/skills',
    ],
  },
  start(turn) {
    return {
      argv: [
        'copilot',
        ...(turn.session ? [`--resume=${turn.session}`] : ['--session-id', turn.newSession]),
        ...['--output-format', 'json', '--no-color', '--allow-all', '--no-ask-user'],
        // Tools of an MCP server could write without asking the gate.
        ...['--disable-builtin-mcps', '--no-remote', '--no-auto-update', '--disable-client-telemetry'],
        `--excluded-tools=${SUB_AGENT_TOOLS.join(',')}`,
        `--secret-env-vars=${KEYS.join(',')}`,
        ...['--usage-output-file', `${turn.home}/${USAGE}`],
      ],
      stdin: turn.prompt,
      session: turn.session ?? turn.newSession,
      env: {
        ...turnEnvironment(turn),
        COPILOT_HOME: `${turn.home}/${FOLDER}`,
        COPILOT_AUTO_UPDATE: 'false',
        // With a custom provider there is no reason to call GitHub.
        ...(turn.env?.COPILOT_PROVIDER_BASE_URL ? { COPILOT_OFFLINE: 'true' } : {}),
      },
      homeFiles: [
        { path: `${FOLDER}/hooks/autobuild.json`, text: JSON.stringify(hooks(turn), null, 2) },
        { path: `${FOLDER}/copilot-instructions.md`, text: turn.instructions },
        // Emptied, because a turn that is killed would leave the figures of the turn before.
        { path: USAGE, text: '' },
      ],
    };
  },
  createReader: createCopilotReader,
  hook: copilotHook(),
  // The same directory contains locks of the process that wrote them, and copies of files it changed.
  sessionFiles: (session) =>
    ['events.jsonl', 'workspace.yaml', 'plan.md', 'checkpoints/**', 'files/**'].map(
      (name) => `${FOLDER}/session-state/${session}/${name}`,
    ),
  /** Otherwise Copilot would return to its former directory if that still exists. */
  relocate(file, { from, to }) {
    const { path, text } = file;
    if (text === undefined || !path.endsWith('/workspace.yaml')) return file;
    const movedText = text.replaceAll(/^(cwd|git_root): (.*)$/gm, (line, name: string, dir: string) =>
      dir === from || dir === JSON.stringify(from) ? `${name}: ${JSON.stringify(to)}` : line,
    );
    return { path, text: movedText };
  },
  usageFile: { path: USAGE, read: readFigures },
};

/** GitHub's own models take a token that Copilot exchanges for others, so only a custom provider has a key to hold back. */
function keyRoute(env: Readonly<Record<string, string | undefined>>): KeyRoute | KeyReason | undefined {
  const { COPILOT_PROVIDER_BASE_URL: upstream, COPILOT_PROVIDER_TYPE: type = 'openai' } = env;
  if (!upstream) return env.COPILOT_GITHUB_TOKEN ? 'github_token' : undefined;
  const keys = [
    { variable: 'COPILOT_PROVIDER_BEARER_TOKEN', header: 'authorization' as const },
    {
      variable: 'COPILOT_PROVIDER_API_KEY',
      header: type === 'anthropic' ? ('x-api-key' as const) : ('authorization' as const),
    },
  ].filter(({ variable }) => env[variable]);
  if (keys.length === 0) return undefined;
  if (type === 'azure') return 'cloud';
  return {
    keys,
    address: 'COPILOT_PROVIDER_BASE_URL',
    upstream,
    paths:
      type === 'anthropic'
        ? ['/v1/messages', '/v1/models', '/messages', '/models']
        : ['/chat/completions', '/responses', '/models'],
  };
}

function hooks({ hook }: TurnSpec): Record<string, unknown> {
  const gate = {
    type: 'command',
    matcher: EDIT_TOOLS.join('|'),
    bash: askingCommand(hook),
    timeoutSec: HOOK_TIMEOUT_S,
  };
  return { version: 1, hooks: { preToolUse: [gate] } };
}

const HookInput = z.object({
  toolName: z.string(),
  toolArgs: z.union([
    z.string(),
    z.looseObject({
      path: z.string().min(1).optional(),
      input: z.string().optional(),
      patch: z.string().optional(),
    }),
  ]),
});

function copilotHook(): AgentHook {
  return {
    readAsk(input) {
      const parsed = HookInput.safeParse(input);
      if (!parsed.success)
        return `what Copilot told its hook could not be read: ${z.prettifyError(parsed.error)}`;
      const { toolName: tool, toolArgs } = parsed.data;
      if (!EDIT_TOOLS.includes(tool)) return undefined;
      if (typeof toolArgs === 'object' && toolArgs.path !== undefined)
        return { path: toolArgs.path, tool, edit: readEdit(toolArgs) };
      const patch = typeof toolArgs === 'string' ? toolArgs : (toolArgs.input ?? toolArgs.patch ?? '');
      const paths = pathsOfPatch(patch);
      return paths.length > 0 ? { paths, tool, edit: { patch } } : `${tool} names no file`;
    },
    answer({ decision, reason }) {
      const said = { permissionDecision: decision, permissionDecisionReason: reason };
      // The exit code is always 0, because any other one would drop the reason.
      return { stdout: `${JSON.stringify(said)}\n`, stderr: '', exitCode: 0 };
    },
  };
}
