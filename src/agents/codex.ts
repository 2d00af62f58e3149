import * as z from 'zod';
import type { Agent, AgentHook, TurnSpec } from './agent.ts';
import { refusingCommand, refusingIfMentioned } from './hook-command.ts';
import type { KeyRoute } from './key-route.ts';
import { pathFrom, pathsOfPatch, pathsOfShellPatch, SHELL_PATCH_NAMES } from './patch-paths.ts';
import { readEdit } from './read-edit.ts';
import { createCodexReader } from './readers/codex-reader.ts';
import { turnEnvironment } from './turn-environment.ts';

const KEYS = ['CODEX_API_KEY', 'OPENAI_API_KEY'] as const;

/** Codex applies a patch in a shell command by itself and asks no other hook for it. */
const SHELL_TOOL = 'Bash';

/** A time-out lets the edit through and the gate may wait for a person, so the limit is longer than any wait. */
const HOOK_TIMEOUT_S = 365 * 24 * 3600;

/**
 * `plugins` and `apps` call home, a daemon would outlive the turn, and unbounded retries hide that the model is gone.
 */
const FEATURES_OFF = ['plugins', 'apps', 'multi_agent', 'daemon_auto_start', 'unbounded_connection_retries'];

/** Codex does not read the repository's rules by itself if the worktree is not trusted. */
const RULES_OF_THE_HOUSE =
  "The repository's own rules for agents are in files called AGENTS.md, at its top and in the directories below. Before you change anything, read those that are there and concern your work, and follow them.";

/** Codex, headless. It cannot receive messages while it runs, so the turn ends and its session is resumed. */
export const codex: Agent = {
  name: 'codex',
  npmPackage: '@openai/codex',
  node: 16,
  testedVersion: '0.166.0',
  keys: KEYS,
  environment: [...KEYS, 'OPENAI_BASE_URL', 'CODEX_CA_CERTIFICATE'],
  keyRoute,
  configFiles: {
    anywhere: ['AGENTS.md', 'AGENTS.override.md'],
    above: ['AGENTS.md', 'AGENTS.override.md'],
    atTop: ['.codex', '.agents'],
  },
  start(turn) {
    const key = turn.env?.CODEX_API_KEY ?? turn.env?.OPENAI_API_KEY;
    return {
      argv: [
        'codex',
        'exec',
        ...(turn.session ? ['resume'] : []),
        '--json',
        '--skip-git-repo-check',
        // Nobody is there to approve. The box is the boundary of agent and checks alike: a sandbox of its own inside it
        // would protect nothing more, and take the network from its commands.
        '--dangerously-bypass-approvals-and-sandbox',
        // Hooks that no person has trusted are silently skipped.
        '--dangerously-bypass-hook-trust',
        // Passed on the command line, where no file in the worktree or in the agent's home can override them.
        ...configuration(turn).flatMap(([name, value]) => ['-c', `${name}=${toml(value)}`]),
        ...(turn.session ? [turn.session] : []),
        '-',
      ],
      stdin: turn.prompt,
      env: {
        ...turnEnvironment(turn),
        CODEX_HOME: `${turn.home}/codex`,
        // The databases contain absolute paths, so they are kept out of the files that move with the conversation.
        CODEX_SQLITE_HOME: `${turn.home}/codex-state`,
        ...(key === undefined ? {} : { CODEX_API_KEY: key }),
      },
      // Codex fails if its home does not exist.
      homeFiles: [
        { path: 'codex/config.toml', text: '' },
        { path: 'codex-state/.keep', text: '' },
      ],
    };
  },
  createReader: createCodexReader,
  hook: codexHook(),
  sessionFiles: (session) => [`codex/sessions/**/rollout-*-${session}.jsonl`],
};

function keyRoute(env: Readonly<Record<string, string | undefined>>): KeyRoute | undefined {
  const keys = KEYS.filter((name) => env[name]).map((variable) => ({
    variable,
    header: 'authorization' as const,
  }));
  if (keys.length === 0) return undefined;
  return {
    keys,
    address: 'OPENAI_BASE_URL',
    upstream: env.OPENAI_BASE_URL || 'https://api.openai.com/v1',
    paths: ['/responses', '/responses/compact', '/models'],
  };
}

function configuration({ hook, cwd, env, instructions }: TurnSpec): [name: string, value: Toml][] {
  const gate = (matcher: string, command: string): Toml => ({
    matcher,
    hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_S }],
  });
  return [
    ['developer_instructions', `${instructions}\n\n${RULES_OF_THE_HOUSE}`],
    ['features.hooks', true],
    ...FEATURES_OFF.map((name): [string, Toml] => [`features.${name}`, false]),
    // A sub-agent's work is not in the stream. A model may start one whatever `features.multi_agent` says.
    ['agents.enabled', false],
    // Nobody is there to answer, so the agent asks by a help block.
    ['tools.experimental_request_user_input.enabled', false],
    ['check_for_update_on_startup', false],
    ['analytics.enabled', false],
    ['feedback.enabled', false],
    // The shell does not need the model's key.
    ['shell_environment_policy.exclude', [...KEYS]],
    // Settings and hooks in the worktree are not ours.
    ['projects', { [cwd]: { trust_level: 'untrusted' } }],
    [
      'hooks.PreToolUse',
      [
        gate('apply_patch|Edit|Write', refusingCommand(hook)),
        gate(SHELL_TOOL, refusingIfMentioned(SHELL_PATCH_NAMES, hook)),
      ],
    ],
    ...provider(env?.OPENAI_BASE_URL),
  ];
}

/** Codex accepts another address only as a provider of its own. */
function provider(baseUrl: string | undefined): [string, Toml][] {
  if (!baseUrl) return [];
  return [
    ['model_provider', 'other'],
    [
      'model_providers.other',
      { name: 'other', base_url: baseUrl, env_key: 'CODEX_API_KEY', wire_api: 'responses' },
    ],
  ];
}

type Toml = string | number | boolean | Toml[] | { [name: string]: Toml };

/** Renders a value on one line. A JSON string is a TOML string, except for one character that JSON does not escape. */
function toml(value: Toml): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value)
    .map(([name, item]) => `${toml(name)} = ${toml(item)}`)
    .join(', ')}}`;
}

const HookInput = z.object({
  /** The directory of the call, which is not always the top of the worktree. */
  cwd: z.string().optional(),
  tool_name: z.string(),
  tool_input: z.looseObject({
    command: z.string().optional(),
    input: z.string().optional(),
    patch: z.string().optional(),
    file_path: z.string().min(1).optional(),
  }),
});

function codexHook(): AgentHook {
  return {
    readAsk(input) {
      const parsed = HookInput.safeParse(input);
      if (!parsed.success)
        return `what Codex told its hook could not be read: ${z.prettifyError(parsed.error)}`;
      const { cwd, tool_name: tool, tool_input } = parsed.data;
      if (tool_input.file_path !== undefined)
        return { path: pathFrom(cwd, tool_input.file_path), tool, edit: readEdit(tool_input) };
      const patch = tool_input.command ?? tool_input.input ?? tool_input.patch;
      if (patch === undefined) return `${tool} names no file`;
      const inShell = tool === SHELL_TOOL;
      const paths = (inShell ? pathsOfShellPatch(patch) : pathsOfPatch(patch)).map((path) =>
        pathFrom(cwd, path),
      );
      if (paths.length > 0) return { paths, tool, edit: { patch } };
      // Files that another command writes are found in the worktree soon after.
      return inShell ? undefined : `no file could be read from what ${tool} is about to do`;
    },
    answer: ({ decision, reason }) =>
      decision === 'allow'
        ? { stdout: '', stderr: '', exitCode: 0 }
        : { stdout: '', stderr: `${reason}\n`, exitCode: 2 },
  };
}
