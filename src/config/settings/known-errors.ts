import * as z from 'zod';
import type { Setting } from '../setting.ts';

export const knownErrors = {
  schema: z.array(z.string().min(1)).default([]),
  allowed: 'a list of error messages, or parts of them',
  words: 'Error messages, or parts of them, that the guards do not count.',
  unset: 'every error counts',
  example: ['DeprecationWarning'],
} satisfies Setting;
