import * as z from 'zod';
import type { WriteReason } from '../contracts/guard.ts';
import type { CommitFile } from '../ports/github-port.ts';
import { BaseMerge } from './base-merge.ts';
import { ChangeStatus } from './change.ts';
import { checkChangesetPaths } from './changeset-path.ts';
import { type Approvals, isApproved } from './is-approved.ts';
import { isInScope } from './path-pattern.ts';
import { isWorkflow, sensitivitiesOf } from './sensitive-path.ts';

const MODES = ['100644', '100755'] as const;
const MEBIBYTE = 1024 * 1024;

/** GitHub's own limit for one blob. */
export const MAX_FILE_BYTES = 40 * MEBIBYTE;
export const MAX_TOTAL_BYTES = 70 * MEBIBYTE;
export const MAX_FILE_COUNT = 3000;

export const ChangesetFile = z.object({
  path: z.string(),
  mode: z.enum(MODES),
  status: ChangeStatus,
  /** In base64; null if the file is deleted. */
  content: z.string().nullable(),
});
export type ChangesetFile = z.infer<typeof ChangesetFile>;

/** The agent's work as files on top of the commit `base_sha`. It comes from a job, so it is a claim until it is checked. */
export const Changeset = z.object({
  base_sha: z.string().regex(/^[0-9a-f]{40}$/),
  files: z.array(ChangesetFile),
  /** Files that cannot be committed, such as symlinks. They are shown to people. */
  left_out: z.array(z.object({ path: z.string(), problem: z.string() })).default([]),
  /** V-6: the merge that this is about, for the job and its successors. */
  merge: BaseMerge.optional(),
});
export type Changeset = z.infer<typeof Changeset>;

export interface ChangesetLimits extends Approvals {
  /** Added to the paths that are always protected. */
  protectedPaths: readonly string[];
  /** Absent if the task declares no scope. */
  scope?: readonly string[];
  /** How many files the run may change without approval. */
  maxFiles: number | 'off';
  maxFileBytes?: number;
  maxTotalBytes?: number;
  maxCount?: number;
}

export interface ChangesetProblem {
  path: string;
  /** `unsafe` and `too_large` are never committed; the others are committed once a person approves. */
  kind: 'unsafe' | 'too_large' | 'protected' | 'workflow' | 'out_of_scope' | 'too_many';
  /** Every reason for which the file needs approval. Absent for all other kinds. */
  reasons?: WriteReason[];
  problem: string;
  remedy: string;
}

type CheckedChangeset =
  /** `workflows`: files that only an App with the `workflows` permission can commit. */
  { ok: true; files: CommitFile[]; workflows: string[] } | { ok: false; problems: ChangesetProblem[] };

/** Decides whether a changeset may be committed, from the files alone, because all other data of the job is a claim. */
export function checkChangeset(changeset: Changeset, limits: ChangesetLimits): CheckedChangeset {
  const { files } = changeset;
  const maxCount = limits.maxCount ?? MAX_FILE_COUNT;
  if (files.length > maxCount) {
    return {
      ok: false,
      problems: [
        {
          path: '',
          kind: 'too_large',
          problem: `${files.length} files are changed; at most ${maxCount} can be committed`,
          remedy: 'Keep generated files out with .gitignore, or split the task.',
        },
      ],
    };
  }
  const problems = [
    ...checkChangesetPaths(files).map(({ path, problem }) => ({
      path,
      kind: 'unsafe' as const,
      problem,
      remedy: 'Tell the agent with /override to undo this change: it is never committed.',
    })),
    ...files.flatMap((file) => checkContent(file, limits)),
    ...checkTotal(files, limits),
    ...files.flatMap((file) => checkPermission(file.path, limits)),
    ...checkNumber(files, limits),
  ];
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    files: files.map(({ path, mode, content }) => ({ path, mode, content })),
    workflows: files.map(({ path }) => path).filter(isWorkflow),
  };
}

function checkContent(file: ChangesetFile, limits: ChangesetLimits): ChangesetProblem[] {
  const { path, mode, status, content } = file;
  const unsafe = (problem: string): ChangesetProblem[] => [
    { path, kind: 'unsafe', problem, remedy: 'Send the changeset again: this one is damaged.' },
  ];
  if (!MODES.includes(mode)) return unsafe(`the mode ${JSON.stringify(mode)} is not that of a plain file`);
  if ((status === 'deleted') !== (content === null)) {
    return unsafe(`the file is ${status}, but ${content === null ? 'has no content' : 'has content'}`);
  }
  if (content === null) return [];
  if (!isBase64(content)) return unsafe('the content is not base64');
  const maxBytes = limits.maxFileBytes ?? MAX_FILE_BYTES;
  if (sizeOf(content) <= maxBytes) return [];
  return [
    {
      path,
      kind: 'too_large',
      problem: `the file has ${inMebibytes(sizeOf(content))} MiB; at most ${inMebibytes(maxBytes)} can be committed`,
      remedy: 'Keep it out with .gitignore, or make it smaller.',
    },
  ];
}

function checkTotal(files: readonly ChangesetFile[], limits: ChangesetLimits): ChangesetProblem[] {
  const maxBytes = limits.maxTotalBytes ?? MAX_TOTAL_BYTES;
  const total = files.reduce((sum, { content }) => sum + (content === null ? 0 : sizeOf(content)), 0);
  if (total <= maxBytes) return [];
  return [
    {
      path: '',
      kind: 'too_large',
      problem: `all files together have ${inMebibytes(total)} MiB; at most ${inMebibytes(maxBytes)} can be committed`,
      remedy: 'Keep generated files out with .gitignore, or split the task.',
    },
  ];
}

const REASONS = {
  workflow: 'workflow files run with the repository’s secrets',
  protected: 'the path is protected',
  owners: 'it says who owns the code',
  agent_config: 'agents follow it',
};

/** Also inside the scope and without one: a file that agents or owners obey decides what later runs and reviews do. */
function checkPermission(path: string, limits: ChangesetLimits): ChangesetProblem[] {
  if (isApproved(path, limits)) return [];
  const found = new Set(sensitivitiesOf(path, limits.protectedPaths).map(({ why }) => why));
  // Every workflow is below a protected path, and says more.
  if (found.has('workflow')) found.delete('protected');
  const isOutside = limits.scope !== undefined && !isInScope(path, limits.scope);
  const kind = found.has('workflow')
    ? 'workflow'
    : found.has('protected')
      ? 'protected'
      : isOutside
        ? 'out_of_scope'
        : found.size > 0
          ? 'protected'
          : undefined;
  if (kind === undefined) return [];
  const scope = isOutside ? [`the path is outside the task’s scope (${limits.scope?.join(', ')})`] : [];
  const problem = [...scope, ...[...found].map((why) => REASONS[why])].join(' and ');
  const permission = kind === 'workflow' ? '. The App also needs the permission “Workflows: write”.' : '';
  return [
    {
      path,
      kind,
      reasons: [...(isOutside ? ['out_of_scope' as const] : []), ...found],
      problem: `${problem}, so a person has to approve it`,
      // The agent chose the name, so it is no part of the command, where it would be read as a pattern.
      remedy: `Approve it with: /approve${permission}`,
    },
  ];
}

/** Approved paths do not count towards the limit, as in the job's own check. */
function checkNumber(files: readonly ChangesetFile[], limits: ChangesetLimits): ChangesetProblem[] {
  const { maxFiles } = limits;
  const counted = countedPaths(files, limits).length;
  if (maxFiles === 'off' || counted <= maxFiles) return [];
  return [
    {
      path: '',
      kind: 'too_many',
      problem: `${counted} files are changed; ${maxFiles} are allowed`,
      remedy: `Approve them with: /approve files=${counted}`,
    },
  ];
}

export function countedPaths(files: readonly ChangesetFile[], limits: ChangesetLimits): string[] {
  return files.map(({ path }) => path).filter((path) => !isApproved(path, limits));
}

/** Uses only a regular expression that cannot backtrack, because the text may have 50 million characters. */
function isBase64(text: string): boolean {
  const padding = text.indexOf('=');
  return (
    text.length % 4 === 0 &&
    !/[^A-Za-z0-9+/=]/.test(text) &&
    (padding === -1 || padding === text.length - 1 || (padding === text.length - 2 && text.endsWith('==')))
  );
}

function sizeOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

function inMebibytes(bytes: number): number {
  return Math.ceil((bytes / MEBIBYTE) * 10) / 10;
}
