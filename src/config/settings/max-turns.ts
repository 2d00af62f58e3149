import * as z from 'zod';
import { Off } from '../on-off.ts';
import type { Setting } from '../setting.ts';

export const maxTurns = {
  schema: z.union([z.number().int().min(1).max(1000), Off]).optional(),
  allowed: 'a whole number from 1 to 1000, or `off`',
  words: 'Another name for `guards.max_iterations`.',
  unset: 'the value of `guards.max_iterations`',
  example: 10,
} satisfies Setting;
