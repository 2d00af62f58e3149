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

/** The part of finished work that may not be committed as it is: a person is asked about it before the run ends. */
export function unapprovedWork(state: RunState, work: WorkFacts | undefined): UnapprovedWork {
  // Somebody may have approved since the desk looked.
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

/** Nothing waits to be written: what a person is asked about was found in work that is done otherwise. */
export function isAboutFinishedWork(triggers: readonly Trigger[]): boolean {
  return triggers.every(
    ({ evidence: { proposed = [] } }) => proposed.length > 0 && proposed.every(({ finished }) => finished),
  );
}

/** Whether the question is about finished work, and all of it is approved now: then nothing is left for the agent to do. */
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
  const asItStands = new Set(
    found
      .filter(({ path, digest }) =>
        approved_files.some((file) => file.path === path && file.digest === digest),
      )
      .map(({ path }) => path),
  );
  const approvals = { approvedPaths: approved_paths, approvedNames: approved_names };
  return (path) => !asItStands.has(path) && !isApproved(path, approvals);
}

/**
 * a protected file that is approved by its name is approved as it stood when it was asked about, in whatever work it comes
 * again; another text of it asks again. A pattern is for whatever comes.
 */
export function bindToContent(
  { approved_files = [] }: RunState,
  { triggers }: Escalation,
  approved: readonly string[],
): { unbound: string[]; approvedFiles?: ApprovedFile[] } {
  const asItStands = new Set(
    triggers
      .flatMap(({ evidence }) => evidence.proposed ?? [])
      .filter(({ finished, why }) => finished && (why === 'protected' || why === 'workflow'))
      .map(({ path }) => path),
  );
  const bound = examinedIn(triggers).filter(({ path }) => asItStands.has(path) && approved.includes(path));
  const unbound = approved.filter((path) => !asItStands.has(path));
  if (bound.length === 0) return { unbound };
  const kept = approved_files.filter(({ path }) => !bound.some((file) => file.path === path));
  return { unbound, approvedFiles: [...kept, ...bound.map(({ path, digest }) => ({ path, digest }))] };
}
