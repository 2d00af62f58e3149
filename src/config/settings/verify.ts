import * as z from 'zod';
import type { Setting } from '../setting.ts';

export const verify = {
  schema: z.array(z.string().min(1)).min(1).max(20).optional(),
  allowed: 'a list of 1 to 20 shell commands',
  words:
    'The checks: a task is complete when the agent says so and all of them pass. They have to be named on GitHub.',
  unset: 'found from the repository at a terminal; on GitHub nothing starts',
  example: ['npm test'],
  decided: true,
} satisfies Setting;
