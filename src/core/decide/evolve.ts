import type { Answer } from '../contracts/answer.ts';
import type { Escalation } from '../contracts/escalation.ts';
import type { RunEvent } from '../contracts/run-event.ts';
import type { RunState } from '../contracts/run-state.ts';
import { countAtDesk } from './count-at-desk.ts';
import { addReport, beginRound, endRound, moveRound, noteChanges } from './revise/evolve-round.ts';

/** Copies facts and decides nothing, so that an old journal folds to the same state under new code. */
export function evolve(state: RunState | undefined, event: RunEvent): RunState {
  if (event.type === 'run_requested') return begin(event);
  if (!state) throw new Error(`The journal starts with ${event.type}, not with run_requested.`);
  return { ...state, updated_at: event.at, ...changed(state, event), ...countAtDesk(state, event) };
}

function begin(event: Extract<RunEvent, { type: 'run_requested' }>): RunState {
  const { run, task, agent, agents, checks, known_errors, reminders, requested_by, at } = event;
  return {
    run,
    status: 'pending',
    task,
    agent,
    agents,
    checks,
    known_errors,
    reminders,
    requested_by,
    fresh_verification: event.fresh_verification,
    requested_at: at,
    updated_at: at,
    limits: event.limits,
    limits_rev: 1,
    rearmed_at: {},
    approved_paths: [],
    jobs: 0,
    job_live: false,
    turn: 0,
    turn_open: false,
    turn_kind: 'normal',
    turns: [],
    guards: {},
    metrics: {
      consecutive_same_errors: 0,
      attempts_without_file_change: 0,
      test_runs_without_improvement: 0,
      files_modified_count: 0,
    },
    active_ms: 0,
    waiting_ms: 0,
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: null },
    changes: { paths: [], added: 0, removed: 0 },
    escalations: [],
    given: {},
    answers: [],
    guidance: [],
    known_issues: [],
  };
}

function changed(state: RunState, event: Exclude<RunEvent, { type: 'run_requested' }>): Partial<RunState> {
  switch (event.type) {
    case 'job_started':
      return {
        jobs: event.job,
        isolation: event.isolation,
        job_live: true,
        job_began: { at: event.at, active_ms: state.active_ms },
        status: state.pending || state.paused ? state.status : 'building',
      };
    case 'baseline_recorded':
      return { baseline: event.verification, guards: event.guards };
    case 'turn_started':
      return {
        turn: event.turn,
        turn_kind: event.kind,
        keys: event.keys,
        turn_open: true,
        status: state.pending || state.paused ? state.status : 'building',
      };
    case 'turn_ended':
      return {
        turn: Math.max(state.turn, event.record.turn),
        turn_open: false,
        losses: undefined,
        unstarted: undefined,
        turns: [...state.turns, event.record],
        guards: event.guards,
        delivered: [],
        debug: event.record.kind === 'debug' ? undefined : state.debug,
        metrics: event.metrics,
        active_ms: event.active_ms,
        usage: event.usage,
        ...noteChanges(
          event.files && state.revision
            ? { ...state, revision: { ...state.revision, files: event.files, applied: event.applied } }
            : state,
          event.record.changes,
        ),
        changeset: event.changeset,
        fresh: event.record.verification ? undefined : state.fresh,
        with_base: event.record.verification ? undefined : state.with_base,
        last_read: event.record.read,
        blocked_report: event.record.read?.report?.blocked_report ?? state.blocked_report,
      };
    case 'escalation_raised':
      return {
        status: 'waiting_for_input',
        escalations: [...state.escalations, event.escalation],
        pending: event.escalation.id,
        usage: event.usage ?? state.usage,
        given: event.escalation.follows ? givenBefore(state, event.escalation.follows) : {},
        guards: event.guards,
        delivered: [],
        active_ms: event.escalation.context.active_ms,
        metrics: event.escalation.context.metrics,
      };
    case 'agent_frozen':
      return noteChanges(state, event.changes);
    case 'command_refused':
    case 'review_shown':
      return {};
    case 'inputs_given':
      return { given: { ...state.given, ...event.inputs } };
    case 'response_recorded':
      return {
        escalations: edit(state, event.escalation, (e) => ({ responses: [...e.responses, event.response] })),
      };
    case 'escalation_resolved':
      return closeEscalation(state, event);
    case 'limits_changed':
      return {
        limits: event.limits,
        limits_rev: event.rev,
        approved_paths: event.approved_paths,
        approved_names: event.approved_names ?? state.approved_names,
        approved_files: event.approved_files ?? state.approved_files,
        approved_folders: event.approved_folders ?? state.approved_folders,
      };
    case 'answer_prepared':
      return {
        status: 'building',
        losses: undefined,
        unstarted: undefined,
        paused: undefined,
        allowed_over_budget: state.paused?.over_budget ?? state.allowed_over_budget,
        closed_pull: state.closed_pull && { ...state.closed_pull, answered: true },
        answers: [...state.answers, event.answer],
        ...keepInstruction(state, event.answer),
        rearmed_at: {
          ...state.rearmed_at,
          ...Object.fromEntries(event.answer.rearm.map((guard) => [guard, state.limits_rev])),
        },
      };
    case 'answer_delivered':
      return {
        answers: state.answers.filter((answer) => answer.id !== event.answer),
        delivered: [
          ...(state.delivered ?? []),
          ...state.answers.filter((answer) => answer.id === event.answer),
        ],
      };
    case 'answer_acknowledged':
      return {
        escalations: edit(state, event.escalation, () => ({
          acknowledged: { text: event.text, at: event.at },
        })),
      };
    case 'agent_changed':
      return {
        agent: event.agent,
        predecessor: event.predecessor,
        // The counters belonged to the previous agent; the files belong to the run.
        metrics: {
          consecutive_same_errors: 0,
          attempts_without_file_change: 0,
          test_runs_without_improvement: 0,
          files_modified_count: state.metrics.files_modified_count,
        },
        // A guard that is younger than the run has no limit in it, but the job has sent its state.
        rearmed_at: Object.fromEntries(
          Object.keys({ ...state.guards, ...state.limits }).map((guard) => [guard, state.limits_rev]),
        ),
      };
    case 'known_issue_recorded':
      return { known_issues: [...state.known_issues, event.issue] };
    case 'run_paused':
      return {
        status: 'waiting_for_input',
        paused: {
          rearm: event.rearm,
          since: event.at,
          over_budget: event.over_budget,
          lost_verification: event.lost_verification,
        },
      };
    case 'job_parked':
      return {
        job_live: false,
        active_ms: event.active_ms,
        guards: event.guards,
        delivered: [],
        ...soFar(state, event),
      };
    case 'job_handed_over':
      return {
        job_live: false,
        delivered: [],
        active_ms: event.active_ms,
        guards: event.guards,
        handoff_path: event.handoff_path,
        ...soFar(state, event),
      };
    case 'job_lost':
      // Answers that the lost job has fetched but not confirmed by its counters are delivered to its successor again.
      return {
        job_live: false,
        answers: [...(state.delivered ?? []), ...state.answers],
        delivered: [],
        losses: event.resumed ? undefined : (state.losses ?? 0) + 1,
        unstarted: state.job_live ? undefined : (state.unstarted ?? 0) + 1,
      };
    case 'agent_terminated':
      return {
        escalations: edit(state, event.escalation, () => ({ status: 'agent_terminated' })),
        pending: undefined,
        waiting_ms: state.waiting_ms + openFor(state, event.escalation, event.at),
      };
    case 'reminder_sent':
      return {
        escalations: edit(state, event.escalation, () => ({
          reminders: event.number,
          reminded_at: event.at,
        })),
      };
    case 'verification_requested':
      return { verifying: event.attempt };
    case 'verification_dropped':
      return { verifying: undefined };
    case 'verification_reported':
      return {
        verifying: undefined,
        fresh: event.verification,
        with_base: event.with_base,
        changeset: event.changeset ?? state.changeset,
        guards: event.guards ?? state.guards,
      };
    case 'pull_request_closed':
      return { closed_pull: { number: event.pull, by: event.by } };
    case 'pull_request_reopened':
      return { closed_pull: undefined };
    case 'revision_asked': {
      const { type: _, ...asked } = event;
      return { asked_revisions: [...(state.asked_revisions ?? []), asked] };
    }
    case 'revision_dropped':
      return { asked_revisions: undefined, status: 'reviewing' };
    case 'revisions_allowed':
      return { more_revisions: (state.more_revisions ?? 0) + event.more, status: 'reviewing' };
    case 'revision_started':
      return beginRound(state, event);
    case 'revision_ended':
      return endRound(state, event);
    case 'revision_moved':
      return moveRound(state, event);
    case 'ci_reported':
      return { ci: addReport(state, event) };
    case 'ci_answered':
      return {
        status: 'reviewing',
        ci: state.ci?.map((known) =>
          known.number === event.number
            ? { ...known, answer: { answer: event.answer, by: event.by } }
            : known,
        ),
      };
    case 'run_judged':
      return { status: event.status };
    case 'run_finished':
      return {
        status: event.status,
        pending: undefined,
        paused: undefined,
        answers: [],
        delivered: [],
        job_live: false,
        turn_open: false,
        finished: {
          partial: event.partial,
          reason: event.reason,
          by: event.by,
          at: event.at,
          expired: event.expired,
          lost_verification: event.lost_verification,
        },
      };
  }
}

function soFar(
  state: RunState,
  { usage, changes }: Partial<Pick<RunState, 'usage' | 'changes'>>,
): Partial<RunState> {
  return { usage: usage ?? state.usage, ...noteChanges(state, changes) };
}

/** An instruction applies to the rest of the run, but one for a debugging turn only to that turn. */
function keepInstruction(
  { guidance }: RunState,
  { instruction, next_turn }: Answer,
): Pick<RunState, 'guidance' | 'debug'> {
  if (next_turn === 'debug') return { guidance, debug: instruction };
  return { guidance: instruction ? [...guidance, instruction] : guidance };
}

function closeEscalation(
  state: RunState,
  event: Extract<RunEvent, { type: 'escalation_resolved' }>,
): Partial<RunState> {
  const inputs = state.given;
  return {
    escalations: edit(state, event.escalation, () => ({
      status: event.status,
      resolved_at: event.at,
      resolution: { by: event.by, inputs },
    })),
    pending: undefined,
    given: {},
    waiting_ms: state.waiting_ms + openFor(state, event.escalation, event.at),
  };
}

/** A repeated question does not ask again for values that were given. */
function givenBefore(state: RunState, id: string): RunState['given'] {
  const before = state.escalations.find((e) => e.id === id);
  return { ...before?.resolution?.inputs, ...state.given };
}

function openFor(state: RunState, id: string, until: string): number {
  const escalation = state.escalations.find((e) => e.id === id);
  return escalation ? Math.max(0, Date.parse(until) - Date.parse(escalation.created_at)) : 0;
}

function edit(state: RunState, id: string, change: (e: Escalation) => Partial<Escalation>): Escalation[] {
  return state.escalations.map((e) => (e.id === id ? { ...e, ...change(e) } : e));
}

export function foldRun(events: Iterable<RunEvent>): RunState | undefined {
  let state: RunState | undefined;
  for (const event of events) state = evolve(state, event);
  return state;
}
