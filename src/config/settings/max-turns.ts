import * as z from 'zod';
import { maxIterations } from '../../guards/iterations.ts';
import { Off } from '../on-off.ts';
import type { Setting } from '../setting.ts';

export const maxTurns = {
  schema: z.union([z.number().int().min(1).max(1000), Off]).optional(),
  allowed: 'a whole number from 1 to 1000, or `off`',
  words: `Another name for \`guards.${maxIterations.id}\`.`,
  unset: `the value of \`guards.${maxIterations.id}\``,
  example: 10,
} satisfies Setting;
