import * as z from 'zod';
import { JobKind } from './job-api.ts';

/**
 * Inputs of the `workflow_dispatch` that starts a job; the workflow file declares the same ones. Actions passes them to the job
 * in the event file. The ticket is read only from there, because Actions logs values in `with:` and `env:`.
 */
export const DispatchInputs = z.object({
  ticket: z.string().min(16).max(512),
  /** The URL of the desk. The workflow file may set it instead. */
  desk: z.url({ protocol: /^https?$/ }).optional(),
  kind: JobKind,
  head_sha: z.string().regex(/^[0-9a-f]{40}$/),
  /** Only if it is another one: the commit that is checked out while set-up steps run. */
  base_sha: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .optional(),
  issue: z.string().regex(/^\d+$/),
  /** Part of the workflow run's name, so that a dispatch whose response was lost is found again. */
  operation: z.string().regex(/^[\w.-]{1,100}$/),
});
export type DispatchInputs = z.infer<typeof DispatchInputs>;
