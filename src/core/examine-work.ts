import {
  Changeset,
  type ChangesetLimits,
  type ChangesetProblem,
  checkChangeset,
  countedPaths,
} from './changeset.ts';
import type { Place } from './hosted-ports.ts';
import type { RunState } from './run-state.ts';
import { findSecretsInFiles } from './secrets-in-changeset.ts';
import { approvedPathsIn } from './work-approvals.ts';
import type { WorkFacts, WorkProblem } from './work-facts.ts';

const MOST_CHARS = 300;
const MOST_LEAKS = 100;
const OPEN: ChangesetLimits = { protectedPaths: [], approvedPaths: [], maxFiles: 'off' };

/** What people have allowed in the work of this digest, and what the repository protects. */
export function changesetLimits(
  state: RunState,
  place: Pick<Place, 'protected_paths'>,
  digest: string,
): ChangesetLimits {
  const limit = state.limits.files_modified_exceeds;
  return {
    protectedPaths: place.protected_paths ?? [],
    approvedPaths: approvedPathsIn(state, digest),
    scope: state.limits.spec_deviation_detected === 'off' ? undefined : state.task.scope,
    maxFiles: typeof limit === 'number' ? limit : 'off',
  };
}

export type ReadChangeset = { ok: true; changeset: Changeset } | { ok: false; problem: string };

/** A changeset as a job sent it, or why no commit is ever made of it: nothing a person approves would change that. */
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
  const checked = checkChangeset(changeset, OPEN);
  const fault = checked.ok ? undefined : checked.problems.find(isFault);
  return fault ? { ok: false, problem: describeFault(fault) } : { ok: true, changeset };
}

/** The others are a matter of approval. */
function isFault({ kind }: ChangesetProblem): boolean {
  return kind === 'unsafe' || kind === 'too_large';
}

function describeFault({ path, problem }: ChangesetProblem): string {
  return path === '' ? `${problem}.` : `${JSON.stringify(path).slice(0, MOST_CHARS)}: ${problem}.`;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // No JSON is no changeset: the schema says so.
    return undefined;
  }
}

/** The work that is claimed to be complete: what of it waits for a person, and what must never leave. */
export function examineWork(
  changeset: Changeset,
  digest: string,
  limits: ChangesetLimits,
  secrets: { key: string; value: string }[],
): WorkFacts {
  const checked = checkChangeset(changeset, limits);
  const counted = countedPaths(changeset.files, limits);
  const beyond = limits.maxFiles === 'off' ? [] : counted.slice(limits.maxFiles);
  return {
    digest,
    files: counted.length,
    problems: [
      ...(checked.ok ? [] : checked.problems.flatMap(asWorkProblem)),
      ...beyond.map((path): WorkProblem => ({ path, why: 'file_limit' })),
    ],
    secrets: findSecretsInFiles(changeset.files, secrets).slice(0, MOST_LEAKS),
  };
}

function asWorkProblem({ path, kind }: ChangesetProblem): WorkProblem[] {
  return kind === 'protected' || kind === 'workflow' || kind === 'out_of_scope' ? [{ path, why: kind }] : [];
}
