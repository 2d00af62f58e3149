import type { Agent } from '../agents/agent.ts';
import { AGENTS, agentNamed } from '../agents/registry.ts';
import { userError } from '../core/error-catalogue.ts';
import { versionOf, versionWarning } from './cli-version.ts';
import { type CliOptions, usage } from './options.ts';

interface Place {
  cwd: string;
  env: Record<string, string | undefined>;
}

/** `autobuild doctor`: what this machine, or a repository on GitHub, has and lacks. Reads only. */
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
  const named = options.agent;
  if (named && !agentNamed(named))
    throw userError('agent_unknown', { name: named, known: Object.keys(AGENTS) });
  const place = { cwd: options.directory, env };
  const agents = Object.values(AGENTS).filter((agent) => !named || agent.name === named);
  const git = await versionOf('git', place);
  const lines = [git ? `✓ ${git}` : '✗ git is missing: install git 2.30 or newer'];
  let usable = 0;
  for (const agent of agents) {
    const found = await examine(agent, place);
    lines.push(...found.lines);
    if (found.ok) usable += 1;
  }
  if (!named && usable === 0) lines.push('  Any other command works too: autobuild run TASK.md -- COMMAND');
  return { lines, ok: git !== undefined && (!named || usable > 0) };
}

async function examine(agent: Agent, place: Place): Promise<{ lines: string[]; ok: boolean }> {
  const version = await versionOf(agent.name, place);
  if (!version) {
    const tested = agent.testedVersion ? ` (tested: ${agent.testedVersion})` : '';
    return { lines: [`✗ ${agent.name}: its command is not in PATH${tested}`], ok: false };
  }
  const warning = versionWarning(agent, version);
  const keys = agent.keys ?? [];
  const key = keys.find((name) => place.env[name]);
  const hasKey = keys.length === 0 || key !== undefined;
  const lines = [
    warning ? `! ${warning}` : `✓ ${agent.name}: ${version}`,
    ...(key ? [`  key: ${key} is set`] : []),
    ...(hasKey ? [] : [`  ✗ no key: set ${keys.join(' or ')}`]),
  ];
  return { lines, ok: hasKey };
}
