import type { Agent } from '../../agents/agent.ts';
import { installCommand } from '../../agents/install-command.ts';
import { AGENTS, agentNamed, agentNames } from '../../agents/registry.ts';
import { CONFIG_PATH } from '../../core/config-path.ts';
import { userError } from '../../core/error-catalogue.ts';
import { missingKeys, withoutKeys } from '../../runner/agent/agent-environment.ts';
import { findLogin } from '../../runner/agent/agent-login.ts';
import { findExecutable } from '../../runner/process/find-executable.ts';
import { locate } from '../choose-worktree.ts';
import { findAgentVersion } from '../doctor/agent-version.ts';
import { versionOf, versionWarning } from '../doctor/cli-version.ts';
import { type CliOptions, usage } from '../options.ts';
import { loadConfig } from './run-command.ts';

interface Machine {
  cwd: string;
  env: Record<string, string>;
}

interface Examined {
  lines: string[];
  state: 'usable' | 'unusable' | 'broken';
}

/** `autobuild doctor` reports what this machine, or a repository on GitHub, has and lacks. It only reads. */
export async function doctorCommand(
  options: CliOptions,
  env: Record<string, string | undefined>,
): Promise<{ lines: string[]; ok: boolean }> {
  if (options.repo !== undefined) {
    if (options.agent) throw usage('autobuild doctor takes --repo or --agent, not both.');
    const { doctorRepositoryCommand } = await import('./doctor-repository-command.ts');
    return doctorRepositoryCommand(options, env, new Date());
  }
  if (options.json) throw usage('autobuild doctor takes --json with --repo only.');
  const machine = { cwd: options.directory, env: withoutMissing(env) };
  const git = await versionOf('git', { ...machine, env: withoutKeys(machine.env) });
  // Without --agent, the one that the config names has to be usable.
  const named = options.agent ?? (await configuredAgent(options, machine));
  const examined = options.agent
    ? [await examineNamed(options.agent, options, machine)]
    : await examineAll(machine);
  const configured = named && !options.agent ? await examineNamed(named, options, machine) : undefined;
  const lines = [
    git ? `✓ ${git}` : '✗ git is missing: install git 2.30 or newer',
    ...examined.flatMap((found) => found.lines),
  ];
  const has = (state: Examined['state']) => examined.some((found) => found.state === state);
  if (configured)
    lines.push(
      configured.state === 'usable'
        ? `✓ ${CONFIG_PATH} names ${named}`
        : `✗ ${CONFIG_PATH} names ${named}, which cannot run here: see to it as said at ${named}, or name another one as \`agent\``,
    );
  if (!options.agent && !has('usable'))
    lines.push('  Any other command works too: autobuild run TASK.md -- COMMAND');
  const isUsable = configured ? configured.state === 'usable' : !options.agent || has('usable');
  return { lines, ok: git !== undefined && !has('broken') && isUsable };
}

async function configuredAgent(options: CliOptions, { cwd, env }: Machine): Promise<string | undefined> {
  const { top } = await locate(cwd, env);
  return loadConfig(options, top).agent;
}

async function examineAll(machine: Machine): Promise<Examined[]> {
  const examined: Examined[] = [];
  for (const agent of Object.values(AGENTS)) examined.push(await examine(agent, machine));
  return examined;
}

/** Agents of the config take precedence over built-in ones, as in a run. */
async function examineNamed(name: string, options: CliOptions, machine: Machine): Promise<Examined> {
  const { top } = await locate(machine.cwd, machine.env);
  const { agents } = loadConfig(options, top);
  const own = Object.hasOwn(agents, name) ? agents[name] : undefined;
  // A run starts it at the top.
  if (own) return examineCommand(name, own.command, { ...machine, cwd: top });
  const agent = agentNamed(name);
  if (!agent) throw userError('agent_unknown', { name, known: [...Object.keys(agents), ...agentNames()] });
  return examine(agent, machine);
}

/** Finds the program but does not start it, because a user's own command may do anything with `--version`. */
function examineCommand(name: string, command: readonly string[], { cwd, env }: Machine): Examined {
  const found = findExecutable(command[0] ?? '', { cwd, path: env.PATH ?? '' });
  return 'problem' in found
    ? { lines: [`✗ ${name}: ${found.problem}`], state: 'unusable' }
    : { lines: [`✓ ${name}: its command is ${found.path}`], state: 'usable' };
}

async function examine(agent: Agent, { cwd, env }: Machine): Promise<Examined> {
  const found = await findAgentVersion(agent, { cwd, env });
  const keys = keyLines(agent, env);
  if (found.is === 'missing') {
    const tested = agent.testedVersion ? ` (tested: ${agent.testedVersion})` : '';
    const install = installCommand(agent);
    const lines = [
      `✗ ${agent.name}: its command is not in PATH${tested}`,
      ...(install ? [`  install it: ${install}`] : []),
      ...keys,
    ];
    return { lines, state: 'unusable' };
  }
  if (found.is === 'broken') {
    const words = found.words ? [`  it said: ${found.words}`] : [];
    return { lines: [`✗ ${agent.name}: ${found.problem}`, ...words, ...keys], state: 'broken' };
  }
  const state = missingKeys(agent, env) ? 'unusable' : 'usable';
  if (found.is === 'slow') return { lines: [`? ${agent.name}: ${found.problem}`, ...keys], state };
  const warning = versionWarning(agent, found.version);
  return {
    lines: [warning ? `! ${warning}` : `✓ ${agent.name}: ${found.version}`, ...keys],
    state,
  };
}

function keyLines(agent: Agent, env: Machine['env']): string[] {
  const missing = missingKeys(agent, env);
  if (missing) return [`  ✗ no key: set ${missing.join(' or ')}`];
  const key = agent.keys?.find((name) => env[name]);
  if (key) return [`  key: ${key} is set`];
  const login = findLogin(agent, env);
  return login ? [`  key: its own login, ${login.file}`] : [];
}

function withoutMissing(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
