import type { LimitsInForce } from '../contracts/guard.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { WorkFacts, WorkProblem } from '../contracts/work-facts.ts';
import type { RunTarget } from '../ports/run-target.ts';
import { findSecretsInFiles } from '../secrets/secrets-in-changeset.ts';
import {
  Changeset,
  type ChangesetFile,
  type ChangesetLimits,
  type ChangesetProblem,
  checkChangeset,
  countedPaths,
} from './changeset.ts';
import { keptIn } from './judge-merge.ts';
import { roundUpdate } from './round-head.ts';
import { sensitivitiesOf } from './sensitive-path.ts';

const MAX_PATH_CHARS = 300;
const MAX_LEAKS = 100;
const MAX_PATHS = 2_000;
const NO_LIMITS: ChangesetLimits = { protectedPaths: [], approvedPaths: [], maxFiles: 'off' };

type Hash = (text: string) => string;

/** Covers content and mode, so that an approval of a digest covers everything that a commit takes from the file. */
export function digestOfFile({ mode, content }: Pick<ChangesetFile, 'mode' | 'content'>, hash: Hash): string {
  return content === null ? 'deleted' : hash(`${mode}:${content}`);
}

/** The limits for this changeset: approvals given so far, and the paths that the repository protects. */
export function changesetLimits(
  state: RunState,
  target: Pick<RunTarget, 'protected_paths'>,
  { files }: Pick<Changeset, 'files'>,
  inForce: LimitsInForce,
  hash: Hash,
): ChangesetLimits {
  const approved = new Map((state.approved_files ?? []).map((file) => [file.path, file]));
  const protectedPaths = target.protected_paths ?? [];
  const isOrdinary = (path: string) => sensitivitiesOf(path, protectedPaths).length === 0;
  // V-6: in an update they are in the head already, byte for byte, so this work does not change them.
  const kept = keptIn(files, roundUpdate(state), (file) => digestOfFile(file, hash));
  const approvedAsIs = files.filter((file) => {
    const found = approved.get(file.path);
    return found?.digest === digestOfFile(file, hash) && (!found.by_job || isOrdinary(file.path));
  });
  return {
    protectedPaths,
    approvedPaths: state.approved_paths,
    approvedNames: [
      // Approved when a job held or reverted the edit. The desk has not seen its content.
      ...(state.approved_names ?? []).filter(isOrdinary),
      ...approvedAsIs.map(({ path }) => path),
      ...kept,
    ],
    approvedFolders: state.approved_folders,
    scope: inForce.scope ? state.task.scope : undefined,
    maxFiles: inForce.files ?? 'off',
  };
}

type ReadChangeset = { ok: true; changeset: Changeset } | { ok: false; problem: string };

/** Parses the changeset that a job sent. Refuses one that could never be committed, whatever a person approves. */
export function readChangeset(bytes: Uint8Array, headSha: string): ReadChangeset {
  const parsed = Changeset.safeParse(parseJson(bytes));
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    const where = first?.path.join('.') || 'the top';
    return { ok: false, problem: `The changeset is not valid at ${where}: ${first?.message}.` };
  }
  const changeset = parsed.data;
  if (changeset.files.length > 0 && changeset.base_sha !== headSha) {
    const problem = `The changeset is for the commit ${changeset.base_sha}; the run builds on ${headSha}.`;
    return { ok: false, problem };
  }
  const checked = checkChangeset(changeset, NO_LIMITS);
  const fault = checked.ok ? undefined : checked.problems.find(isNeverCommitted);
  return fault ? { ok: false, problem: describeFault(fault) } : { ok: true, changeset };
}

/** All other kinds of problems can be approved. */
function isNeverCommitted({ kind }: ChangesetProblem): boolean {
  return kind === 'unsafe' || kind === 'too_large';
}

function describeFault({ path, problem }: ChangesetProblem): string {
  return path === '' ? `${problem}.` : `${JSON.stringify(path).slice(0, MAX_PATH_CHARS)}: ${problem}.`;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // The schema reports invalid JSON, because undefined is no changeset.
    return undefined;
  }
}

/** Examines work that a job claims is complete: the files that need an approval, and the secrets in them. */
export function examineWork(
  changeset: Changeset,
  digest: string,
  limits: ChangesetLimits,
  secrets: { key: string; value: string }[],
  hash: Hash,
): WorkFacts {
  const files = new Map(changeset.files.map((file) => [file.path, file]));
  const digestAt = (path: string) => {
    const file = files.get(path);
    return file && digestOfFile(file, hash);
  };
  const checked = checkChangeset(changeset, limits);
  const counted = countedPaths(changeset.files, limits);
  const beyond = limits.maxFiles === 'off' ? [] : counted.slice(limits.maxFiles);
  return {
    digest,
    files: counted.length,
    changed: changeset.files.length,
    paths: changeset.files.slice(0, MAX_PATHS).map(({ path }) => path),
    problems: [
      ...(checked.ok
        ? []
        : checked.problems.flatMap((problem) => asWorkProblem(problem, digestAt(problem.path), limits))),
      ...beyond.map((path): WorkProblem => ({ path, why: 'file_limit', digest: digestAt(path) })),
    ],
    secrets: findSecretsInFiles(changeset.files, secrets).slice(0, MAX_LEAKS),
  };
}

function asWorkProblem(
  { path, kind, reasons }: ChangesetProblem,
  digest: string | undefined,
  { protectedPaths }: ChangesetLimits,
): WorkProblem[] {
  if (kind !== 'protected' && kind !== 'workflow' && kind !== 'out_of_scope') return [];
  const guarded = [...new Set(sensitivitiesOf(path, protectedPaths).map(({ pattern }) => pattern))];
  return [{ path, why: kind, digest, reasons, ...(guarded.length > 0 ? { guarded_by: guarded } : {}) }];
}
