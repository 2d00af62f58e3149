import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Usage } from '../../core/contracts/run-event.ts';
import { SetAside } from '../../core/work/change.ts';
import { CountedUsage } from '../output/usage-meter.ts';
import type { Tree } from '../workspace/tree-store.ts';

/** The state that the next job needs beside the journal. The base of all changes is kept by the workspace itself. */
const Checkpoint = z.object({
  /** The worktree when it was last known to be consistent. */
  tree: z.string().optional(),
  aside: z.array(SetAside),
  /** Session ids by agent. */
  sessions: z.record(z.string(), z.string()).optional(),
  /** Usage of the run so far. */
  usage: Usage.optional(),
  /** Usage by session, for agents that report totals for a whole conversation. */
  counted: z.record(z.string(), CountedUsage).optional(),
});
type Checkpoint = z.infer<typeof Checkpoint>;

export function loadCheckpoint(runDir: string): Omit<Checkpoint, 'tree'> & { tree?: Tree } {
  const file = join(runDir, 'checkpoint.json');
  if (!existsSync(file)) return { aside: [] };
  const { tree, ...rest } = Checkpoint.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { ...rest, tree: tree as Tree | undefined };
}

export function saveCheckpoint({ runDir }: { runDir: string }, change: Partial<Checkpoint>): void {
  const file = join(runDir, 'checkpoint.json');
  const next = { ...loadCheckpoint(runDir), ...change };
  writeFileSync(`${file}.new`, JSON.stringify(next), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
