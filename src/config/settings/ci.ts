import * as z from 'zod';
import type { Setting } from '../setting.ts';

export const ci = {
  schema: z.enum(['skip', 'always']).default('skip'),
  allowed: '`skip` or `always`',
  words:
    'Whether commits of a run start your CI: skip, because nobody has looked at that code yet, or always. Read by the GitHub App alone.',
  example: 'always',
} satisfies Setting;
