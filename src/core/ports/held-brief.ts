import * as z from 'zod';
import { Brief } from '../contracts/brief.ts';
import type { RunState } from '../contracts/run-state.ts';
import { JobTarget } from './job-api.ts';

/** The brief that a desk without a server leaves for its next build, sealed, on the ref of the issue. */
export const HeldBrief = z.object({
  /** The operation id of the dispatch. A build of another one is not meant. */
  operation: z.string(),
  brief: Brief,
  place: JobTarget,
  /** The run as the desk has it, so that the job can decide for itself what to do next. */
  state: z.custom<RunState>((value) => typeof value === 'object' && value !== null),
  version: z.number().int().nonnegative(),
  /** The values that people gave, by reference. */
  inputs: z.record(z.string(), z.object({ key: z.string(), value: z.string() })).default({}),
  /** The first one seals all that the job leaves; the second one opens the checkpoint of the job before. */
  keys: z.object({ work: z.string(), checkpoint: z.string() }),
  /** In base64. Absent: there is none, or the checkpoint has it. */
  changeset: z.string().optional(),
});
export type HeldBrief = z.infer<typeof HeldBrief>;
