import type { Agent } from '../../agents/agent.ts';
import { installCommand } from '../../agents/install-command.ts';
import { AGENTS, agentNamed, agentNames } from '../../agents/registry.ts';
import { userError } from '../../core/error-catalogue.ts';
import { environmentFor, missingKeys } from '../../runner/agent/agent-environment.ts';
import { findExecutable } from '../../runner/process/find-executable.ts';
import { findVersion, versionOf, versionWarning } from '../doctor/cli-version.ts';
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
  const git = await versionOf('git', { ...machine, env: environmentFor({ environment: [] }, machine.env) });
  const examined = options.agent
    ? [await examineNamed(options.agent, options, machine)]
    : await examineAll(machine);
  const lines = [
    git ? `✓ ${git}` : '✗ git is missing: install git 2.30 or newer',
    ...examined.flatMap((found) => found.lines),
  ];
  const has = (state: Examined['state']) => examined.some((found) => found.state === state);
  if (!options.agent && !has('usable'))
    lines.push('  Any other command works too: autobuild run TASK.md -- COMMAND');
  return { lines, ok: git !== undefined && !has('broken') && (!options.agent || has('usable')) };
}

async function examineAll(machine: Machine): Promise<Examined[]> {
  const examined: Examined[] = [];
  for (const agent of Object.values(AGENTS)) examined.push(await examine(agent, machine));
  return examined;
}

/** Agents of the config take precedence over built-in ones, as in a run. */
async function examineNamed(name: string, options: CliOptions, machine: Machine): Promise<Examined> {
  const { agents } = loadConfig(options, machine.cwd);
  const own = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (own) return examineCommand(name, own.command, machine);
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
  const found = await findVersion(agent.program ?? agent.name, { cwd, env: environmentFor(agent, env) });
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
  const warning = versionWarning(agent, found.version);
  return {
    lines: [warning ? `! ${warning}` : `✓ ${agent.name}: ${found.version}`, ...keys],
    state: missingKeys(agent, env) ? 'unusable' : 'usable',
  };
}

function keyLines(agent: Agent, env: Machine['env']): string[] {
  const missing = missingKeys(agent, env);
  if (missing) return [`  ✗ no key: set ${missing.join(' or ')}`];
  const key = agent.keys?.find((name) => env[name]);
  return key ? [`  key: ${key} is set`] : [];
}

function withoutMissing(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
