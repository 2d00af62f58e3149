import type { Decision } from './decision.ts';
import type { Escalation } from './escalation.ts';
import type { ProposedWrite, Trigger } from './guard.ts';
import { matchesPattern } from './path-pattern.ts';
import type { RunState } from './run-state.ts';
import type { WorkFacts, WorkProblem } from './work-facts.ts';

const LEAKS_NAMED = 5;

/** Finished work that may not be committed as it is: what a person is asked, before the run ends. */
export function approvalsNeeded(state: RunState, work: WorkFacts | undefined): Trigger[] {
  // Somebody may have approved since the desk looked.
  const open = (work?.problems ?? []).filter(({ path }) => !isApproved(state, path));
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

/** Whether the question is about finished work, and all of it is approved now: then nothing is left for the agent to do. */
export function isApprovedWork(state: RunState, { triggers }: Escalation): boolean {
  return triggers.every(({ guard, observed, evidence: { proposed = [] } }) => {
    if (proposed.length === 0 || !proposed.every(({ finished }) => finished)) return false;
    const open = proposed.filter(({ path }) => !isApproved(state, path)).length;
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

function isApproved({ approved_paths }: RunState, path: string): boolean {
  return approved_paths.some((pattern) => matchesPattern(pattern, path));
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
  return {
    events: [
      {
        type: 'answer_prepared',
        at,
        answer: {
          id: `leak.${state.turns.length}`,
          command: 'guide',
          by: 'autobuild',
          instruction,
          inputs: {},
          rearm: [],
          ends_turn: false,
          next_turn: 'normal',
          agent_changed: false,
        },
      },
    ],
    effects: [],
  };
}
