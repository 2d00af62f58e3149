import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Place } from './git-places.ts';

/** Agents read these in every directory above the worktree as well. */
const READ_ABOVE = [
  'CLAUDE.md',
  'CLAUDE.local.md',
  'AGENTS.md',
  'AGENTS.override.md',
  'GEMINI.md',
  'CONTEXT.md',
  '.gemini/.env',
];
const IN_ANY_CASE: ReadonlySet<string> = new Set(READ_ABOVE.map((name) => name.toLowerCase()));

/** The places above the worktree that agents obey, there or not, and other spellings of them that are there. */
export async function listAbove(worktree: string): Promise<Place[]> {
  const places: Place[] = [];
  for (let at = dirname(worktree); ; at = dirname(at)) {
    // One that may not be read may still be entered by a name.
    const names = await readdir(at).catch(() => []);
    const spelled = names.filter((name) => IN_ANY_CASE.has(name.toLowerCase()));
    for (const path of new Set([...READ_ABOVE, ...spelled])) places.push({ root: at, path });
    if (at === dirname(at)) return places;
  }
}
