import type { Decision } from './decision.ts';
import type { Escalation } from './escalation.ts';
import type { ProposedWrite, Trigger } from './guard.ts';
import { matchesPattern } from './path-pattern.ts';
import type { ApprovedWork } from './run-event.ts';
import type { RunState } from './run-state.ts';
import { tellNextTurn } from './tell-next-turn.ts';
import type { WorkFacts, WorkProblem } from './work-facts.ts';

const LEAKS_NAMED = 5;

/** Finished work that may not be committed as it is: what a person is asked, before the run ends. */
export function approvalsNeeded(state: RunState, work: WorkFacts | undefined): Trigger[] {
  // Somebody may have approved since the desk looked.
  const isOpen = opennessOf(state, work?.digest);
  const open = (work?.problems ?? []).filter(({ path }) => isOpen(path));
  const beyond = open.filter(({ why }) => why === 'file_limit');
  const others = open.filter(({ why }) => why !== 'file_limit');
  const limit = fileLimit(state);
  const triggers: Trigger[] = [];
  if (beyond.length > 0 && (work?.files ?? 0) > limit) {
    triggers.push({
      guard: 'files_modified_exceeds',
      kind: 'file_count',
      threshold: limit,
      observed: limit,
      evidence: { proposed: beyond.map(asProposed) },
    });
  }
  if (others.length > 0) {
    const outside = others.some(({ why }) => why === 'out_of_scope');
    triggers.push({
      guard: 'spec_deviation_detected',
      kind: 'file_count',
      threshold: null,
      observed: others.length,
      evidence: { proposed: others.map(asProposed), ...(outside ? { scope: state.task.scope } : {}) },
    });
  }
  return triggers;
}

/** Nothing waits to be written: what a person is asked about was found in work that is done otherwise. */
export function isAboutFinishedWork(triggers: readonly Trigger[]): boolean {
  return triggers.every(
    ({ evidence: { proposed = [] } }) => proposed.length > 0 && proposed.every(({ finished }) => finished),
  );
}

/** Whether the question is about finished work, and all of it is approved now: then nothing is left for the agent to do. */
export function isApprovedWork(state: RunState, { triggers, work }: Escalation): boolean {
  if (!isAboutFinishedWork(triggers) || work !== state.changeset) return false;
  const isOpen = opennessOf(state, work);
  return triggers.every(({ guard, observed, evidence: { proposed = [] } }) => {
    const open = proposed.filter(({ path }) => isOpen(path)).length;
    return guard === 'files_modified_exceeds' ? observed + open <= fileLimit(state) : open === 0;
  });
}

function asProposed({ path, why }: WorkProblem): ProposedWrite {
  return { path, why, held: false, finished: true };
}

function fileLimit({ limits }: RunState): number {
  const limit = limits.files_modified_exceeds;
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}

function opennessOf(state: RunState, digest: string | undefined): (path: string) => boolean {
  const approved = approvedPathsIn(state, digest);
  return (path) => !approved.some((pattern) => matchesPattern(pattern, path));
}

/** What is approved in the work of this digest: some of it for the whole run, some as it stands there. */
export function approvedPathsIn(state: RunState, digest: string | undefined): string[] {
  const { approved_paths, approved_work } = state;
  const bound = approved_work !== undefined && approved_work.digest === digest ? approved_work.paths : [];
  return [...approved_paths, ...bound];
}

/**
 * a protected file that is approved by its name is approved as it stands in the work that was asked about; another text of it
 * asks again. A pattern is for whatever comes.
 */
export function bindToWork(
  { approved_work }: RunState,
  { triggers, work }: Escalation,
  approved: readonly string[],
): { approvedPaths: string[]; approvedWork?: ApprovedWork } {
  const asItStands = new Set(
    triggers
      .flatMap(({ evidence }) => evidence.proposed ?? [])
      .filter(({ finished, why }) => finished && (why === 'protected' || why === 'workflow'))
      .map(({ path }) => path),
  );
  const bound = approved.filter((path) => asItStands.has(path));
  if (work === undefined || bound.length === 0) return { approvedPaths: [...approved] };
  const before = approved_work?.digest === work ? approved_work.paths : [];
  return {
    approvedPaths: approved.filter((path) => !asItStands.has(path)),
    approvedWork: { digest: work, paths: [...new Set([...before, ...bound])] },
  };
}

/** A value in a file is a slip the agent can mend: like a check that fails, it is told and goes on. */
export function sendBack(state: RunState, at: string, leaks: WorkFacts['secrets']): Decision {
  const named = leaks.slice(0, LEAKS_NAMED).map(({ path, key }) => `- ${path}: the value of ${key}`);
  const more = leaks.length > named.length ? [`- and ${leaks.length - named.length} more`] : [];
  const instruction = [
    'The work is not accepted: it contains values that were given in secret and must never be committed.',
    ...named,
    ...more,
    'Take them out, read them from the environment at run time, and report again.',
  ].join('\n');
  const id = `leak.${state.turns.length}`;
  return tellNextTurn(at, { id, command: 'guide', by: 'autobuild', instruction });
}
