import * as z from 'zod';
import type { Setting } from '../setting.ts';

export const isolation = {
  schema: z.enum(['required', 'best']).optional(),
  allowed: '`required` or `best`',
  words:
    'Whether agent and checks must run in a box: required starts nothing without, best takes what the machine allows and says which level that is.',
  unset: '`required` on Linux machines of GitHub, `best` elsewhere',
  example: 'required',
} satisfies Setting;
