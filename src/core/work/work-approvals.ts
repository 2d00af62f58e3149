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
import { isApproved } from './is-approved.ts';

/** The part of finished work that needs an approval before it is committed. A person is asked about it before the run ends. */
export function unapprovedWork(state: RunState, work: WorkFacts | undefined): UnapprovedWork {
  // An approval may have been given since the desk examined the work.
  const problems = work?.problems ?? [];
  const isOpen = opennessOf(state, problems);
  const open = problems.filter(({ path }) => isOpen(path));
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
  const isOpen = opennessOf(state, examinedIn(triggers));
  return triggers.every(({ observed, evidence: { proposed = [] } }) => {
    const open = proposed.filter(({ path }) => isOpen(path));
    // A number of files is approved as well by a higher limit.
    const isCounted = open.every(({ why }) => why === 'file_limit');
    return open.length === 0 || (isCounted && observed + open.length <= (files ?? Number.POSITIVE_INFINITY));
  });
}

function asProposed({ path, why }: WorkProblem): ProposedWrite {
  return { path, why, held: false, finished: true };
}

function asExamined({ approved_files = [] }: RunState, { path, digest }: WorkProblem): ExaminedFile[] {
  if (digest === undefined) return [];
  const before = approved_files.some((file) => file.path === path);
  return [{ path, digest, ...(before ? { approved_before: true } : {}) }];
}

function examinedIn(triggers: readonly Trigger[]): ExaminedFile[] {
  return triggers.flatMap(({ evidence }) => evidence.examined ?? []);
}

function opennessOf(
  { approved_paths, approved_names, approved_files = [] }: RunState,
  found: readonly Pick<WorkProblem, 'path' | 'digest'>[],
): (path: string) => boolean {
  const boundToContent = new Set(
    found
      .filter(({ path, digest }) =>
        approved_files.some((file) => file.path === path && file.digest === digest),
      )
      .map(({ path }) => path),
  );
  const approvals = { approvedPaths: approved_paths, approvedNames: approved_names };
  return (path) => !boundToContent.has(path) && !isApproved(path, approvals);
}

/**
 * the approval of a protected file by name covers the content that was asked about, whichever work contains it later. Other
 * content of the file is asked about again. A pattern covers any content.
 */
export function bindToContent(
  { approved_files = [] }: RunState,
  { triggers }: Escalation,
  approved: readonly string[],
): { unbound: string[]; approvedFiles?: ApprovedFile[] } {
  const boundToContent = new Set(
    triggers
      .flatMap(({ evidence }) => evidence.proposed ?? [])
      .filter(({ finished, why }) => finished && (why === 'protected' || why === 'workflow'))
      .map(({ path }) => path),
  );
  const bound = examinedIn(triggers).filter(
    ({ path }) => boundToContent.has(path) && approved.includes(path),
  );
  const unbound = approved.filter((path) => !boundToContent.has(path));
  if (bound.length === 0) return { unbound };
  const kept = approved_files.filter(({ path }) => !bound.some((file) => file.path === path));
  return { unbound, approvedFiles: [...kept, ...bound.map(({ path, digest }) => ({ path, digest }))] };
}
