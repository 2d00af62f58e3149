import * as z from 'zod';
import { isUsablePattern } from '../../core/work/path-pattern.ts';
import type { Setting } from '../setting.ts';

export const checkFiles = {
  schema: z
    .array(z.string().refine((pattern) => isUsablePattern(pattern.replace(/^!/, ''))))
    .max(100)
    .default([]),
  allowed:
    'a list of at most 100 paths or globs inside the repository, with at most 5 stars each, and with `!` before those that are none',
  words:
    'More files that the checks depend on, beside tests, scripts that the checks run, lockfiles, and settings of common tools and CI. Work that changes one is verified twice, also with the versions of the default branch; `"!**"` switches that off. Read by the verification job on GitHub.',
  unset: 'only the files that are known by name or by the commands in `verify`',
  example: ['checks/**', '!fixtures/**'],
} satisfies Setting;
