import { join, relative } from 'node:path';
import { agentNames } from '../../agents/registry.ts';
import { CONFIG_PATH } from '../../core/config-path.ts';
import { locate } from '../choose-worktree.ts';
import { type CliOptions, usage } from '../options.ts';
import { loadConfig } from './run-command.ts';

/** `autobuild check-config` prints the settings in force, or every mistake with its line. */
export async function checkConfigCommand(
  options: CliOptions,
  env: Record<string, string>,
): Promise<string[]> {
  const [named, ...extra] = options.operands;
  if (extra.length > 0) throw usage('autobuild check-config takes one file.');
  const file = named ?? relative('', join((await locate(options.directory, env)).top, CONFIG_PATH));
  const config = loadConfig({ config: file }, options.directory, agentNames());
  const guards = Object.entries(config.guards).map(([id, limit]) => `  ${id}: ${show(limit)}`);
  return [
    `✓ ${file} is valid.`,
    `  agent: ${config.agent ?? 'none set'}`,
    `  verify: ${config.verify?.join(', ') ?? 'detected from the repository'}`,
    `  scope: ${config.scope?.join(', ') ?? 'none set: any file may be changed unless the task sets one'}`,
    'guards:',
    ...guards,
  ];
}

function show(limit: unknown): string {
  return typeof limit === 'object' ? JSON.stringify(limit) : String(limit);
}
