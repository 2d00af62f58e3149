import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Told } from '../../agents/told.ts';
import { Usage } from '../../core/contracts/run-event.ts';
import { SetAside } from '../../core/work/change.ts';
import { StrayPlace } from '../output/agent-output.ts';
import { CountedUsage } from '../output/usage-meter.ts';
import type { Tree } from '../workspace/tree-store.ts';

/** The part of it that a job on another machine needs, too. Everything may be absent in checkpoints of older versions. */
export const Carried = z.object({
  /** Usage of the run so far. */
  usage: Usage.optional(),
  /** Usage by session, for agents that report totals for a whole conversation. */
  counted: z.record(z.string(), CountedUsage).optional(),
  /** Fences the text of others in every prompt of the run. */
  mark: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  /** By agent: its conversation and what that was told. */
  told: z.record(z.string(), Told.extend({ session: z.string() })).optional(),
  /** Conversations whose last start ended because they were too long for the model. */
  full_sessions: z.array(z.string()).optional(),
  /** No turn starts before this moment, because a provider takes no requests. */
  not_before: z.iso.datetime().optional(),
  /** Where help blocks stood that are no call for help, as long as the agent does not know. */
  stray_help: z.array(StrayPlace).optional(),
});
export type Carried = z.infer<typeof Carried>;

/** The state that the next job needs beside the journal. The base of all changes is kept by the workspace itself. */
const Checkpoint = Carried.extend({
  /** The worktree when it was last known to be consistent. */
  tree: z.string().optional(),
  /** Pipes, sockets and devices at that time, at a terminal. */
  special: z.array(z.string()).optional(),
  aside: z.array(SetAside),
  /** Session ids by agent. */
  sessions: z.record(z.string(), z.string()).optional(),
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
