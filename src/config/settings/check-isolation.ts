import * as z from 'zod';
import type { Setting } from '../setting.ts';

export const checkIsolation = {
  schema: z.enum(['box', 'host']).default('box'),
  allowed: '`box` or `host`',
  words:
    "Where the checks run: in the agent's box, or on the machine itself, for checks that need Docker or another service that a box hides. The checks run the agent's code, which on the machine itself has all rights of the job.",
  example: 'box',
} satisfies Setting;
