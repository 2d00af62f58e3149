import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import type { Agent } from '../../agents/agent.ts';
import { agentConfigFiles } from '../../agents/registry.ts';
import type { Place } from './git-control-files.ts';

/** What an agent reads in every directory above the worktree as well. */
export const ReadAbove = z.object({ paths: z.array(z.string()), ignores_case: z.boolean() });
export type ReadAbove = z.infer<typeof ReadAbove>;

/** One that is not known may read whatever others do, but no name that is ordinary elsewhere. */
export function readAboveBy(agent?: Agent): ReadAbove {
  const { above, ignoresCase = false } = agent?.configFiles ?? {};
  const ofAll = agentConfigFiles();
  const paths = above ?? ofAll.above.filter((path) => !ofAll.ordinary.includes(path));
  return { paths: [...paths], ignores_case: ignoresCase };
}

/** The places above the worktree that the agent obeys, there or not, and other spellings that it takes and that are there. */
export async function listAbove(worktree: string, { paths, ignores_case }: ReadAbove): Promise<Place[]> {
  const lower = new Set(paths.map((path) => path.toLowerCase()));
  const places: Place[] = [];
  for (let at = dirname(worktree); ; at = dirname(at)) {
    // One that may not be read may still be entered by a name.
    const names = ignores_case ? await readdir(at).catch(() => []) : [];
    const spelled = names.filter((name) => lower.has(name.toLowerCase()));
    for (const path of new Set([...paths, ...spelled])) places.push({ root: at, path });
    if (at === dirname(at)) return places;
  }
}
