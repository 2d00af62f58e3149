import type { Escalation } from '../contracts/escalation.ts';
import type {
  ExaminedFile,
  LimitsInForce,
  ProposedWrite,
  Trigger,
  UnapprovedWork,
} from '../contracts/guard.ts';
import type { ApprovedFile } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import type { WorkFacts, WorkProblem } from '../contracts/work-facts.ts';
import { isCovered } from './is-approved.ts';
import { matchesPattern } from './path-pattern.ts';
import { sensitivitiesOf } from './sensitive-path.ts';

/** The part of finished work that needs an approval before it is committed. A person is asked about it before the run ends. */
export function unapprovedWork(state: RunState, work: WorkFacts | undefined): UnapprovedWork {
  // An approval may have been given since the desk examined the work.
  const open = (work?.problems ?? []).filter(opennessOf(state));
  return {
    files: work?.files ?? 0,
    scope: state.task.scope,
    proposed: open.map(asProposed),
    examined: open.flatMap((problem) => asExamined(state, problem)),
  };
}

/** The question is about files of finished work, and no edit is held back. */
export function isAboutFinishedWork(triggers: readonly Trigger[]): boolean {
  return triggers.every(
    ({ evidence: { proposed = [] } }) => proposed.length > 0 && proposed.every(({ finished }) => finished),
  );
}

/** True if the question is about finished work and all of it is approved now, so that the agent has nothing left to do. */
export function isApprovedWork(
  state: RunState,
  { triggers, work }: Escalation,
  { files }: LimitsInForce,
): boolean {
  if (!isAboutFinishedWork(triggers) || work !== state.changeset) return false;
  const digests = new Map(examinedIn(triggers).map(({ path, digest }) => [path, digest]));
  const isOpen = opennessOf(state);
  return triggers.every(({ observed, evidence: { proposed = [] } }) => {
    const open = proposed.filter((write) => isOpen({ ...write, digest: digests.get(write.path) }));
    // A number of files is approved as well by a higher limit.
    const isCounted = open.every(({ why }) => why === 'file_limit');
    return open.length === 0 || (isCounted && observed + open.length <= (files ?? Number.POSITIVE_INFINITY));
  });
}

function asProposed({ path, why, reasons, guarded_by }: WorkProblem): ProposedWrite {
  return {
    path,
    why,
    held: false,
    finished: true,
    ...(reasons && { reasons }),
    ...(guarded_by && { guarded_by }),
  };
}

function asExamined({ approved_files = [] }: RunState, { path, digest }: WorkProblem): ExaminedFile[] {
  if (digest === undefined) return [];
  const before = approved_files.some((file) => file.path === path && file.digest !== digest);
  return [{ path, digest, ...(before ? { approved_before: true } : {}) }];
}

function examinedIn(triggers: readonly Trigger[]): ExaminedFile[] {
  return triggers.flatMap(({ evidence }) => evidence.examined ?? []);
}

type FoundFile = Pick<WorkProblem, 'path' | 'digest' | 'guarded_by'>;

/** The path's patterns are those that the desk found and those that hold everywhere. */
function guardsOf({ path, guarded_by = [] }: FoundFile): string[] {
  return [...guarded_by, ...sensitivitiesOf(path).map(({ pattern }) => pattern)];
}

function opennessOf(state: RunState): (found: FoundFile) => boolean {
  const { approved_paths, approved_names = [], approved_files = [], approved_folders } = state;
  const approvals = { approvedPaths: approved_paths, approvedFolders: approved_folders };
  return (found) => {
    const { path, digest } = found;
    const guards = guardsOf(found);
    const isOrdinary = guards.length === 0;
    const isBound = approved_files.some(
      (file) => file.path === path && file.digest === digest && (isOrdinary || !file.by_job),
    );
    return !isBound && !(isOrdinary && approved_names.includes(path)) && !isCovered(path, approvals, guards);
  };
}

/** The proposed files that match a typed pattern and are not covered by any, because the pattern does not name them. */
export function unnamedBy(patterns: readonly string[], proposed: readonly ProposedWrite[]): ProposedWrite[] {
  return proposed.filter(
    (write) =>
      patterns.some((pattern) => matchesPattern(pattern, write.path)) &&
      !isCovered(write.path, { approvedPaths: patterns }, guardsOf(write)),
  );
}

/** The digest of the content that a question is about. Undefined for a file whose content nobody told. */
export function askedContent(
  examined: readonly ExaminedFile[],
): (write: ProposedWrite) => string | undefined {
  const digests = new Map(examined.map(({ path, digest }) => [path, digest]));
  return ({ path, finished, digest }) => (finished ? digests.get(path) : digest);
}

/**
 * R-8, S-1: the approval of the proposed files covers the content that was asked about, whichever work contains it later. Other
 * content of a file is asked about again. A file whose content nobody told is approved by its name.
 */
export function bindToContent(
  { approved_files = [] }: RunState,
  { triggers }: Escalation,
): { unbound: string[]; approvedFiles?: ApprovedFile[] } {
  const digestOf = askedContent(examinedIn(triggers));
  const unbound: string[] = [];
  const bound = new Map<string, ApprovedFile>();
  for (const write of triggers.flatMap(({ evidence }) => evidence.proposed ?? [])) {
    const { path, finished } = write;
    const digest = digestOf(write);
    if (digest === undefined) unbound.push(path);
    else bound.set(path, { path, digest, ...(finished ? {} : { by_job: true as const }) });
  }
  if (bound.size === 0) return { unbound };
  const kept = approved_files.filter(({ path }) => !bound.has(path));
  return { unbound, approvedFiles: [...kept, ...bound.values()] };
}
