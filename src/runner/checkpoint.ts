import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { SetAside } from '../core/change.ts';
import type { Tree } from './tree-store.ts';

/** What a successor needs beside the journal. The base of all changes is kept by the workspace itself. */
const Checkpoint = z.object({
  /** The worktree when it was last known to be whole. */
  tree: z.string().optional(),
  aside: z.array(SetAside),
  /** The conversations so far, by agent. */
  sessions: z.record(z.string(), z.string()).optional(),
});
type Checkpoint = z.infer<typeof Checkpoint>;

export function loadCheckpoint(runDir: string): {
  tree?: Tree;
  aside: SetAside[];
  sessions?: Record<string, string>;
} {
  const file = join(runDir, 'checkpoint.json');
  if (!existsSync(file)) return { aside: [] };
  const { tree, aside, sessions } = Checkpoint.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { tree: tree as Tree | undefined, aside, sessions };
}

export function saveCheckpoint(place: { runDir: string }, change: Partial<Checkpoint>): void {
  const file = join(place.runDir, 'checkpoint.json');
  const next = { ...loadCheckpoint(place.runDir), ...change };
  writeFileSync(`${file}.new`, JSON.stringify(next), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
