import * as z from 'zod';
import type { Setting } from '../setting.ts';

export const scope = {
  schema: z.array(z.string().min(1)).min(1).optional(),
  allowed: 'a list of at least one path, glob or module name',
  words:
    'Paths, globs or module names that the agent may change; a change elsewhere is asked about first. The scope of a task comes before it.',
  unset: 'everything',
  example: ['src/**'],
} satisfies Setting;
