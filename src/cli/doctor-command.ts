import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Agent } from '../agents/agent.ts';
import { AGENTS, agentNamed } from '../agents/registry.ts';
import { userError } from '../core/error-catalogue.ts';
import { findExecutable } from '../runner/find-executable.ts';
import type { CliOptions } from './options.ts';

const ANSWER_MS = 20_000;

/** `autobuild doctor`: what this machine has and lacks. Reads only. */
export async function doctorCommand(
  options: CliOptions,
  env: Record<string, string | undefined>,
): Promise<{ lines: string[]; ok: boolean }> {
  const named = options.agent;
  if (named && !agentNamed(named))
    throw userError('agent_unknown', { name: named, known: Object.keys(AGENTS) });
  const agents = Object.values(AGENTS).filter((agent) => !named || agent.name === named);
  const git = await versionOf('git', options.directory, env);
  const lines = [git ? `✓ ${git}` : '✗ git is missing: install git 2.30 or newer'];
  let usable = 0;
  for (const agent of agents) {
    const found = await examine(agent, options.directory, env);
    lines.push(...found.lines);
    if (found.ok) usable += 1;
  }
  if (!named && usable === 0) lines.push('  Any other command works too: autobuild run TASK.md -- COMMAND');
  return { lines, ok: git !== undefined && (!named || usable > 0) };
}

async function examine(agent: Agent, cwd: string, env: Record<string, string | undefined>) {
  const version = await versionOf(agent.name, cwd, env);
  const keys = agent.keys ?? [];
  const key = keys.find((name) => env[name]);
  const lines: string[] = [];
  if (!version) lines.push(`✗ ${agent.name}: its command is not in PATH`);
  else if (agent.testedVersion && !version.includes(agent.testedVersion)) {
    lines.push(`✓ ${agent.name}: ${version}; tested with ${agent.testedVersion}, others may differ`);
  } else lines.push(`✓ ${agent.name}: ${version}`);
  if (keys.length > 0 && version) {
    lines.push(key ? `  key: ${key} is set` : `  ✗ no key: set ${keys.join(' or ')}`);
  }
  return { lines, ok: version !== undefined && (keys.length === 0 || key !== undefined) };
}

async function versionOf(
  command: string,
  cwd: string,
  env: Record<string, string | undefined>,
): Promise<string | undefined> {
  const found = findExecutable(command, { cwd, path: env.PATH ?? '' });
  if ('problem' in found) return undefined;
  try {
    const { stdout } = await promisify(execFile)(found.path, ['--version'], { cwd, timeout: ANSWER_MS });
    return stdout.trim().split('\n')[0]?.slice(0, 80) || 'of unknown version';
  } catch {
    return 'of unknown version: it does not answer --version';
  }
}
