import * as z from 'zod';
import { isUsablePattern } from '../../core/work/path-pattern.ts';
import type { Setting } from '../setting.ts';

export const protectedPaths = {
  schema: z.array(z.string().refine(isUsablePattern)).max(100).default([]),
  allowed:
    'a list of at most 100 paths or globs inside the repository, such as `migrations/**`, with at most 5 stars each',
  words:
    'Paths or globs where changes are committed only after `/approve`, beside `.github/**`, `.gitmodules`, `CODEOWNERS` and files that agents follow (`AGENTS.md`, `.claude`). Read on GitHub alone.',
  unset: 'only those',
  example: ['migrations/**', '**/*.pem'],
} satisfies Setting;
