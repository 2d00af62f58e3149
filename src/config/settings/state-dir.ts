import * as z from 'zod';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import type { Setting } from '../setting.ts';

export const stateDir = {
  schema: z
    .string()
    .refine((path) => checkWorktreePath(path).ok)
    .default('.autobuild'),
  allowed: 'a directory inside the repository, such as `.autobuild`',
  words: 'The directory for prompt, context and reports of a task; git never sees it.',
  example: '.state/autobuild',
} satisfies Setting;
