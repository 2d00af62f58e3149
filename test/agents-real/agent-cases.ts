import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../src/agents/agent.ts';
import { claude } from '../../src/agents/claude.ts';
import { codex } from '../../src/agents/codex.ts';
import { copilot } from '../../src/agents/copilot.ts';
import { gemini } from '../../src/agents/gemini.ts';
import { opencode } from '../../src/agents/opencode.ts';
import type { TurnOptions } from './agent-turn.ts';
import { cliEnvironment } from './installed-cli.ts';
import { anthropicMessages } from './model-servers/anthropic-messages.ts';
import { geminiContents } from './model-servers/gemini-contents.ts';
import { openaiChat } from './model-servers/openai-chat.ts';
import { openaiResponses } from './model-servers/openai-responses.ts';
import type { Protocol, Refusal, ToolCall } from './model-servers/scripted-model.ts';

/** One agent and its ways, for tests that play the same story with each. */
export interface AgentCase {
  name: string;
  agent: Agent;
  protocol: Protocol;
  /** Its own tools, called as its model would. */
  write(path: { absolute: string; relative: string }): ToolCall;
  run(command: string): ToolCall;
  /** What a user would have set: where the program is, its key, and where its model is. `folder` takes a file. */
  environment(url: string, folder: string): Record<string, string>;
  refusals: Record<'request' | 'key' | 'quota', Refusal>;
  /** How much of the provider's words it passes on, where it is not all of them. */
  told: Partial<Record<'request' | 'key' | 'quota', string>>;
  /** An id of a conversation it never had. */
  unknownSession: string;
  tellsCost: boolean;
  /** Whether a refused edit is in its stream. The gate knows of it in any case. */
  tellsRefusedEdit: boolean;
  /** After a stream that was cut, it tries again by itself. */
  survivesCut: boolean;
  /** A yes is said in so many words: silence of the hook is a no. */
  silenceRefuses: boolean;
  /** Files in a worktree that would switch hooks off, if it believed them. */
  hooksOff?: Record<string, string>;
  /** A hook whose time is up is a yes to it: so it is given one that nobody outlasts, and what comes past it is put back. */
  timeUpLetsThrough: boolean;
  /** It reads the rules of the worktree. Codex does not where the worktree is untrusted, and else its hooks and settings come too. */
  readsRules: boolean;
  /** Shell lines before its start after which it asks no hook, as a version would that no longer knows ours. */
  withoutGate: string;
  /** Its own limit to the requests of one turn, where it has one. */
  turnLimit?: Pick<TurnOptions, 'extraArgs' | 'changeHome'>;
}

const UNKNOWN = '11111111-2222-4333-8444-555555555555';
const QUOTA = 'You exceeded your current quota, please check your plan and billing details.';
const WRITTEN = 'written\n';
const patchFor = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+written\n*** End Patch\n`;

const OPENAI_REFUSALS = {
  request: { status: 400, type: 'invalid_request_error', message: 'the request is bad' },
  key: { status: 401, type: 'invalid_api_key', message: 'Incorrect API key provided' },
  quota: { status: 429, type: 'insufficient_quota', message: QUOTA },
};

export const AGENT_CASES: AgentCase[] = [
  {
    name: 'claude',
    agent: claude,
    protocol: anthropicMessages,
    write: ({ absolute }) => ({ name: 'Write', input: { file_path: absolute, content: WRITTEN } }),
    run: (command) => ({ name: 'Bash', input: { command, description: 'a command' } }),
    environment: (url) => ({
      ...cliEnvironment('claude'),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'scripted-key',
    }),
    refusals: {
      request: { status: 400, type: 'invalid_request_error', message: 'messages: something is wrong' },
      key: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
      quota: {
        status: 400,
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the API',
      },
    },
    told: { key: 'HTTP 401 authentication_failed', quota: 'Credit balance is too low' },
    unknownSession: UNKNOWN,
    tellsCost: true,
    tellsRefusedEdit: true,
    survivesCut: true,
    silenceRefuses: false,
    hooksOff: { '.claude/settings.json': '{"disableAllHooks":true}' },
    timeUpLetsThrough: false,
    readsRules: true,
    withoutGate: `set -- "$@" --settings '{"disableAllHooks":true}'`,
    turnLimit: { extraArgs: ['--max-turns', '1'] },
  },
  {
    name: 'codex',
    agent: codex,
    protocol: openaiResponses,
    write: ({ relative }) => ({ name: 'apply_patch', input: { patch: patchFor(relative) } }),
    run: (command) => ({ name: 'exec_command', input: { cmd: command } }),
    environment: (url) => ({
      ...cliEnvironment('codex'),
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: 'scripted-key',
    }),
    refusals: OPENAI_REFUSALS,
    told: { quota: 'Quota exceeded. Check your plan and billing details.' },
    unknownSession: UNKNOWN,
    tellsCost: false,
    tellsRefusedEdit: false,
    survivesCut: true,
    silenceRefuses: false,
    hooksOff: { '.codex/config.toml': '[features]\nhooks = false\n' },
    timeUpLetsThrough: true,
    readsRules: false,
    withoutGate: 'set -- "$@" -c features.hooks=false',
  },
  {
    name: 'gemini',
    agent: gemini,
    protocol: geminiContents,
    write: ({ absolute }) => ({ name: 'write_file', input: { file_path: absolute, content: WRITTEN } }),
    run: (command) => ({ name: 'run_shell_command', input: { command } }),
    environment: (url) => ({
      ...cliEnvironment('gemini'),
      GEMINI_API_KEY: 'scripted-key',
      GEMINI_MODEL: 'gemini-2.5-pro',
      GOOGLE_GEMINI_BASE_URL: url,
    }),
    refusals: {
      request: { status: 400, type: 'INVALID_ARGUMENT', message: 'the request is bad' },
      key: {
        status: 400,
        type: 'INVALID_ARGUMENT',
        message: 'API key not valid. Please pass a valid API key.',
      },
      quota: { status: 429, type: 'RESOURCE_EXHAUSTED', message: QUOTA },
    },
    told: {},
    unknownSession: UNKNOWN,
    tellsCost: false,
    tellsRefusedEdit: true,
    survivesCut: false,
    silenceRefuses: true,
    hooksOff: { '.gemini/settings.json': '{"hooksConfig":{"enabled":false}}' },
    timeUpLetsThrough: true,
    readsRules: true,
    withoutGate: `sed -i 's/"enabled": true/"enabled": false/' "$GEMINI_CLI_HOME/.gemini/settings.json"`,
    turnLimit: {
      changeHome(home) {
        const file = join(home, 'gemini/.gemini/settings.json');
        const settings = JSON.parse(readFileSync(file, 'utf8')) as object;
        writeFileSync(file, JSON.stringify({ ...settings, model: { maxSessionTurns: 1 } }));
      },
    },
  },
  {
    name: 'opencode',
    agent: opencode,
    protocol: openaiChat,
    write: ({ absolute }) => ({ name: 'write', input: { filePath: absolute, content: WRITTEN } }),
    run: (command) => ({ name: 'bash', input: { command, description: 'a command' } }),
    environment(url, folder) {
      const file = join(folder, 'provider.json');
      writeFileSync(file, JSON.stringify(opencodeProvider(url)));
      return { ...cliEnvironment('opencode'), OPENCODE_CONFIG: file };
    },
    refusals: OPENAI_REFUSALS,
    told: {},
    unknownSession: 'ses_e1e531ed5fferxfDVE590kZpZc',
    tellsCost: true,
    tellsRefusedEdit: true,
    survivesCut: true,
    silenceRefuses: true,
    timeUpLetsThrough: false,
    readsRules: true,
    withoutGate: `export OPENCODE_CONFIG_CONTENT='{"permission":{"edit":"allow"}}'`,
  },
  {
    name: 'copilot',
    agent: copilot,
    protocol: openaiChat,
    write: ({ relative }) => ({ name: 'apply_patch', input: { input: patchFor(relative) } }),
    run: (command) => ({ name: 'bash', input: { command, description: 'a command' } }),
    environment: (url) => ({
      ...cliEnvironment('copilot'),
      // Long: whatever it is, it is blotted out of everything the CLI prints.
      COPILOT_PROVIDER_API_KEY: 'scripted-key-0123456789',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_MODEL: 'gpt-5.5',
    }),
    refusals: OPENAI_REFUSALS,
    told: {},
    unknownSession: UNKNOWN,
    tellsCost: false,
    tellsRefusedEdit: true,
    survivesCut: true,
    silenceRefuses: true,
    timeUpLetsThrough: true,
    readsRules: true,
    withoutGate: 'rm "$COPILOT_HOME/hooks/autobuild.json"',
  },
];

/** The case of one agent, for what only that one does. */
export function caseOf(name: string): AgentCase {
  const found = AGENT_CASES.find((agentCase) => agentCase.name === name);
  if (!found) throw new Error(`there is no case of ${name}`);
  return found;
}

/** As a user would configure a provider of one's own. */
function opencodeProvider(url: string) {
  const scripted = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${url}/v1`, apiKey: 'scripted-key' },
    models: { scripted: { limit: { context: 100_000, output: 8_000 }, cost: { input: 3, output: 15 } } },
  };
  return { model: 'scripted/scripted', small_model: 'scripted/scripted', provider: { scripted } };
}
