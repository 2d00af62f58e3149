import * as z from 'zod';
import type { Setting } from '../setting.ts';

export const knownErrors = {
  schema: z.array(z.string().min(1)).default([]),
  allowed: 'a list of error messages, or parts of them',
  words: 'Errors that the guards do not count, because they were there before.',
  unset: 'every error counts',
  example: ['DeprecationWarning'],
} satisfies Setting;
