import * as z from 'zod';
import type { Agent, AgentHook, ChooseVariables, TurnSpec } from './agent.ts';
import { pluginSource } from './opencode-plugin.ts';
import { pathsOfPatch } from './patch-paths.ts';
import { createOpencodeReader, EDIT_TOOLS } from './readers/opencode-reader.ts';
import { turnEnvironment } from './turn-environment.ts';

const FOLDER = 'opencode';
const PLUGIN = `${FOLDER}/autobuild-gate.js`;
const EXPORTED = `${FOLDER}/session.json`;

/** OpenCode's own key, its `auth.json`, and the path of a configuration whose provider may need no key. */
const OWN_KEYS = ['OPENCODE_API_KEY', 'OPENCODE_AUTH_CONTENT', 'OPENCODE_CONFIG'];

/** The keys of providers that it knows. */
const PROVIDER_KEYS = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'XAI_API_KEY',
  'DEEPSEEK_API_KEY',
  'MISTRAL_API_KEY',
  'GROQ_API_KEY',
];
const KEYS = [...OWN_KEYS, ...PROVIDER_KEYS];

const NAMED_IN_CONFIG = /\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Passes no key of a model it does not use: with its own settings those they name, otherwise the first one that is set.
 */
const chooseVariables: ChooseVariables = (env, readFile) => {
  if (!OWN_KEYS.some((name) => env[name])) return PROVIDER_KEYS.filter((name) => env[name]).slice(0, 1);
  const config = env.OPENCODE_CONFIG ? readFile(env.OPENCODE_CONFIG) : undefined;
  const named = new Set(Array.from(config?.matchAll(NAMED_IN_CONFIG) ?? [], ([, name]) => name));
  return [...OWN_KEYS, ...PROVIDER_KEYS.filter((name) => named.has(name))];
};

/** OpenCode, headless. Its database contains absolute paths, so the conversation is moved as an export. */
export const opencode: Agent = {
  name: 'opencode',
  npmPackage: 'opencode-ai',
  testedVersion: '1.18.33',
  keys: KEYS,
  environment: KEYS,
  chooseVariables,
  configFiles: {
    anywhere: ['AGENTS.md'],
    ordinary: ['CONTEXT.md'],
    above: ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md'],
    atTop: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  },
  start(turn) {
    return {
      argv: [
        'opencode',
        'run',
        ...['--format', 'json', '--auto'],
        // A given title saves the call of the model that would generate one.
        ...(turn.session ? ['--session', turn.session] : ['--title', 'autobuild']),
      ],
      stdin: turn.prompt,
      env: {
        ...turnEnvironment(turn),
        ...directoryVariables(turn.home),
        OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(turn)),
      },
      homeFiles: [
        { path: PLUGIN, text: pluginSource(turn.hook) },
        // The rules for all projects. They replace those in the user's home.
        { path: `${FOLDER}/config/opencode/AGENTS.md`, text: turn.instructions },
        // These two files claim that the plugins' library is installed. Our plugin does not need it, and OpenCode would
        // download it first.
        {
          path: `${FOLDER}/config/opencode/package-lock.json`,
          text: JSON.stringify({ packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } }),
        },
        { path: `${FOLDER}/config/opencode/node_modules/.keep`, text: '' },
      ],
    };
  },
  createReader: createOpencodeReader,
  hook: opencodeHook(),
  sessionFiles: () => [EXPORTED],
  exportSession: ({ session, home }) => ({
    argv: ['opencode', 'export', '--pure', session],
    env: directoryVariables(home),
    stdoutFile: EXPORTED,
  }),
  exportedFiles: [`${FOLDER}/data/opencode/opencode*.db*`],
  importSession: ({ home }) => ({
    argv: ['opencode', 'import', '--pure', `${home}/${EXPORTED}`],
    env: directoryVariables(home),
  }),
};

function directoryVariables(home: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: `${home}/${FOLDER}/config`,
    XDG_DATA_HOME: `${home}/${FOLDER}/data`,
    XDG_STATE_HOME: `${home}/${FOLDER}/state`,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_SHARE: '1',
  };
}

/** Passed in the environment, which overrides every file. */
function configuration({ home }: TurnSpec): Record<string, unknown> {
  return {
    autoupdate: false,
    share: 'disabled',
    plugin: [`file://${`${home}/${PLUGIN}`.split('/').map(encodeURIComponent).join('/')}`],
    // The plugin allows editing once it is loaded, so an OpenCode that could not load it edits nothing.
    // A sub-agent's calls never end in the stream.
    permission: { edit: 'deny', task: 'deny' },
  };
}

const HookInput = z.object({
  tool: z.string(),
  args: z.looseObject({ filePath: z.string().min(1).optional(), patchText: z.string().optional() }),
});

function opencodeHook(): AgentHook {
  return {
    readAsk(input) {
      const parsed = HookInput.safeParse(input);
      if (!parsed.success)
        return `what OpenCode told its hook could not be read: ${z.prettifyError(parsed.error)}`;
      const { tool, args } = parsed.data;
      if (!EDIT_TOOLS.includes(tool)) return undefined;
      if (args.filePath !== undefined) return { path: args.filePath, tool };
      const paths = pathsOfPatch(args.patchText ?? '');
      return paths.length > 0 ? { paths, tool } : `${tool} names no file`;
    },
    answer: ({ decision, reason }) => ({
      stdout: `${JSON.stringify({ decision, reason })}\n`,
      stderr: '',
      exitCode: decision === 'allow' ? 0 : 2,
    }),
  };
}
