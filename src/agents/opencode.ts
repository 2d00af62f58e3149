import * as z from 'zod';
import type { Agent, AgentHook, ChooseVariables, TurnSpec } from './agent.ts';
import type { KeyHeader, KeyReason, KeyRoute } from './key-route.ts';
import { pluginSource } from './opencode-plugin.ts';
import { pathsOfPatch } from './patch-paths.ts';
import { readEdit } from './read-edit.ts';
import { createOpencodeReader, EDIT_TOOLS } from './readers/opencode-reader.ts';
import { turnEnvironment } from './turn-environment.ts';

const FOLDER = 'opencode';
const PLUGIN = `${FOLDER}/autobuild-gate.js`;
const EXPORTED = `${FOLDER}/session.json`;

/** OpenCode's own key, its `auth.json`, and the path of a configuration whose provider may need no key. */
const OWN_KEYS = ['OPENCODE_API_KEY', 'OPENCODE_AUTH_CONTENT', 'OPENCODE_CONFIG'];

interface Provider {
  /** OpenCode's name for it. */
  id: string;
  key: string;
  header?: KeyHeader;
  /** OpenCode's own address for it. */
  upstream: string;
  paths?: readonly string[];
}

const GOOGLE = {
  id: 'google',
  header: 'x-goog-api-key',
  upstream: 'https://generativelanguage.googleapis.com/v1beta',
  paths: ['/models/'],
} as const;

/** The providers that it knows by a key. */
const PROVIDERS: readonly Provider[] = [
  {
    id: 'anthropic',
    key: 'ANTHROPIC_API_KEY',
    header: 'x-api-key',
    upstream: 'https://api.anthropic.com/v1',
    paths: ['/messages'],
  },
  { id: 'openai', key: 'OPENAI_API_KEY', upstream: 'https://api.openai.com/v1' },
  { ...GOOGLE, key: 'GEMINI_API_KEY' },
  { ...GOOGLE, key: 'GOOGLE_GENERATIVE_AI_API_KEY' },
  { id: 'openrouter', key: 'OPENROUTER_API_KEY', upstream: 'https://openrouter.ai/api/v1' },
  { id: 'xai', key: 'XAI_API_KEY', upstream: 'https://api.x.ai/v1' },
  { id: 'deepseek', key: 'DEEPSEEK_API_KEY', upstream: 'https://api.deepseek.com' },
  { id: 'mistral', key: 'MISTRAL_API_KEY', upstream: 'https://api.mistral.ai/v1' },
  { id: 'groq', key: 'GROQ_API_KEY', upstream: 'https://api.groq.com/openai/v1' },
];
const OPENAI_PATHS = ['/chat/completions', '/responses'];
const PROVIDER_KEYS = PROVIDERS.map(({ key }) => key);
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
  keyRoute,
  configFiles: {
    anywhere: ['AGENTS.md'],
    ordinary: ['CONTEXT.md'],
    above: ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md'],
    atTop: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  },
  ownRewrite: { files: ['opencode.json', 'opencode.jsonc'], isOwn: addsSchema },
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

/** Settings and logins of its own may name any provider, with a key in them. */
function keyRoute(env: TurnSpec['env'] = {}): KeyRoute | KeyReason | undefined {
  if (env.OPENCODE_AUTH_CONTENT) return 'login';
  if (OWN_KEYS.some((name) => env[name])) return 'own_settings';
  const provider = providerOf(env);
  if (!provider) return undefined;
  const { key, header = 'authorization', upstream, paths = OPENAI_PATHS } = provider;
  return { keys: [{ variable: key, header }], upstream, paths };
}

function providerOf(env: TurnSpec['env']): Provider | undefined {
  return PROVIDERS.find(({ key }) => env?.[key]);
}

const SCHEMA = /"\$schema":\s*"https:\/\/opencode\.ai\/config\.json",?/;

/** It names its schema in settings that do not. */
function addsSchema(removed: string, added: string): boolean {
  const withoutBlanks = (text: string) => text.replaceAll(/\s/g, '');
  return SCHEMA.test(added) && withoutBlanks(added.replace(SCHEMA, '')) === withoutBlanks(removed);
}

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
function configuration({ home, env, modelAddress }: TurnSpec): Record<string, unknown> {
  const provider = modelAddress === undefined ? undefined : providerOf(env);
  return {
    ...(provider ? { provider: { [provider.id]: { options: { baseURL: modelAddress } } } } : {}),
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
      if (args.filePath !== undefined) return { path: args.filePath, tool, edit: readEdit(args) };
      const patch = args.patchText ?? '';
      const paths = pathsOfPatch(patch);
      return paths.length > 0 ? { paths, tool, edit: { patch } } : `${tool} names no file`;
    },
    answer: ({ decision, reason }) => ({
      stdout: `${JSON.stringify({ decision, reason })}\n`,
      stderr: '',
      exitCode: decision === 'allow' ? 0 : 2,
    }),
  };
}
