import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import type { Agent } from '../../agents/agent.ts';
import { agentConfigFiles } from '../../agents/registry.ts';
import type { RootedPath } from './git-control-files.ts';

/** The configuration paths that an agent also reads in every directory above the worktree. */
export const ConfigAbove = z.object({ paths: z.array(z.string()), ignores_case: z.boolean() });
export type ConfigAbove = z.infer<typeof ConfigAbove>;

/** An unknown agent may read the same paths as the known ones, except names that are ordinary elsewhere. */
export function configAboveOf(agent?: Agent): ConfigAbove {
  const { above, ignoresCase = false } = agent?.configFiles ?? {};
  const ofAll = agentConfigFiles();
  const paths = above ?? ofAll.above.filter((path) => !ofAll.ordinary.includes(path));
  return { paths: [...paths], ignores_case: ignoresCase };
}

/** Lists the paths above the worktree that the agent obeys, whether or not they exist, and existing ones in other spellings. */
export async function listConfigAbove(
  worktree: string,
  { paths, ignores_case }: ConfigAbove,
): Promise<RootedPath[]> {
  const lower = new Set(paths.map((path) => path.toLowerCase()));
  const files: RootedPath[] = [];
  for (let at = dirname(worktree); ; at = dirname(at)) {
    // A directory that cannot be listed can still contain a known name.
    const names = ignores_case ? await readdir(at).catch(() => []) : [];
    const spelled = names.filter((name) => lower.has(name.toLowerCase()));
    for (const path of new Set([...paths, ...spelled])) files.push({ root: at, path });
    if (at === dirname(at)) return files;
  }
}
