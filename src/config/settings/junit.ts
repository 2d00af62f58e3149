import * as z from 'zod';
import type { Setting } from '../setting.ts';

export const junit = {
  schema: z.array(z.string().min(1)).default([]),
  allowed: 'a list of paths or globs of JUnit files',
  words: 'JUnit files that the checks write, to count single tests.',
  unset: 'tests are counted from what the checks print',
  example: ['reports/junit.xml'],
} satisfies Setting;
