import type { Effect } from '../contracts/effect.ts';
import { Claim, type Envelope, type Measured, PROTOCOL } from '../contracts/envelope.ts';
import type { GuardStates, Trigger, UnapprovedWork } from '../contracts/guard.ts';
import type { Rules } from '../contracts/rules.ts';
import type { RunEvent, TurnRecord } from '../contracts/run-event.ts';
import {
  isUnderWay,
  pendingEscalation,
  phaseOf,
  type RunState,
  waitsOverClosedPull,
} from '../contracts/run-state.ts';
import type { WorkFacts } from '../contracts/work-facts.ts';
import { unapprovedWork } from '../work/work-approvals.ts';
import { clampToDesk } from './clamp-claim.ts';
import { isComplete } from './completion.ts';
import { isUsedUp, withOwnCount } from './count-at-desk.ts';
import { type Decision, NOTHING } from './decision.ts';
import { evolve } from './evolve.ts';
import { finishRun } from './finish-run.ts';
import { startSuccessor } from './jobs/start-successor.ts';
import { instructNextTurn } from './orders/instruct-next-turn.ts';
import { hasUnheardInstruction } from './orders/unheard-instruction.ts';
import { raiseEscalation, repeatEscalation } from './raise-escalation.ts';
import { completeRun } from './verify-afresh.ts';

const LEAKS_NAMED = 5;

type ClaimOf<Type extends Claim['type']> = Extract<Claim, { type: Type }>['data'];

/** Only the present job may claim anything, and its trips are decided by the desk's own limits. */
export function decideClaim(state: RunState, given: Envelope, rules: Rules, work?: WorkFacts): Decision {
  const { at, fence } = given;
  if (given.protocol !== PROTOCOL || given.run !== state.run || !isUnderWay(state)) return NOTHING;
  const parsed = Claim.safeParse({ type: given.type, data: given.data });
  // A newer job may send claims this desk does not know. They are journalled as inputs and have no effect.
  if (!parsed.success) return NOTHING;
  if (parsed.data.type === 'job_started') {
    const successor = fence === state.jobs + 1 && !state.job_live;
    const started: RunEvent = { type: 'job_started', at, job: fence, ...parsed.data.data };
    return successor ? { events: [started], effects: [{ type: 'update_status' }] } : NOTHING;
  }
  // claims of a job that parked, handed over or was lost have no effect.
  if (fence !== state.jobs || !state.job_live) return NOTHING;
  const [envelope, claim] = clampToDesk(state, given, parsed.data);
  switch (claim.type) {
    case 'baseline_recorded':
      return decideBaseline(state, envelope, claim.data, rules);
    case 'turn_started':
      if (!mayBeginTurn(state, rules)) return NOTHING;
      return {
        events: [{ type: 'turn_started', at, turn: envelope.turn, ...claim.data }],
        effects: [{ type: 'update_status' }],
      };
    case 'turn_ended':
      if (state.verifying !== undefined || !(state.turn_open || mayBeginTurn(state, rules))) return NOTHING;
      return decideTurnEnd(state, envelope, claim.data, rules, work);
    case 'tripped': {
      const triggers = validTriggers(state, claim.data.measured.guards, envelope, rules);
      if (triggers.length === 0 || state.pending) return NOTHING;
      return raiseEscalation(state, triggers, claim.data.measured, at, rules, true, claim.data.usage);
    }
    case 'agent_frozen':
      if (!state.escalations.some(({ id }) => id === claim.data.escalation)) return NOTHING;
      return {
        events: [{ type: 'agent_frozen', at, ...claim.data }],
        effects: claim.data.changes ? [{ type: 'update_status' }] : [],
      };
    case 'answer_delivered':
      if (!state.answers.some(({ id }) => id === claim.data.answer)) return NOTHING;
      return { events: [{ type: 'answer_delivered', at, answer: claim.data.answer }], effects: [] };
    case 'acknowledged':
      return decideAcknowledgement(state, at, claim.data);
    case 'agent_died':
      return decideAgentDeath(state, at, claim.data.reason);
    case 'parked': {
      const parked: RunEvent = { type: 'job_parked', at, active_ms: envelope.active_ms, ...claim.data };
      // If the answer came while the job was parking, nothing else would start the next job.
      const { events, effects } = startSuccessor(state, parked, rules);
      return { events, effects: [...publishParked(state), ...effects, { type: 'update_status' }] };
    }
    case 'handed_over': {
      const over: RunEvent = { type: 'job_handed_over', at, active_ms: envelope.active_ms, ...claim.data };
      // While a question is open, its answer dispatches the successor.
      const { events, effects } = startSuccessor(state, over, rules);
      return { events, effects: [...effects, { type: 'update_status' }] };
    }
  }
}

/** Work that is being verified is published with the result, so that it is written once. */
function publishParked({ verifying, revision }: RunState): Effect[] {
  // V-1: until a round has a result, the pull request stays at the head that was verified.
  return verifying === undefined && !revision ? [{ type: 'publish', ready: false }] : [];
}

/** no turn begins while its work is being verified, nor after the last one that the limits allow, until a person answers. */
function mayBeginTurn(state: RunState, rules: Rules): boolean {
  if (state.verifying !== undefined) return false;
  return phaseOf(state) !== 'waiting' || !isUsedUp(state, rules);
}

/** E-11: only an answered question can be acknowledged, because a job must not close an open one. */
function decideAcknowledgement(state: RunState, at: string, data: ClaimOf<'acknowledged'>): Decision {
  const answered = state.escalations.find(({ id }) => id === data.escalation);
  if (!answered?.resolved_at) return NOTHING;
  return {
    events: [{ type: 'answer_acknowledged', at, ...data }],
    effects: [{ type: 'close_question', escalation: answered.id }],
  };
}

/** E-13: the record is kept, and the question is asked again with a link to it. Only the question of a live agent is repeated. */
export function decideAgentDeath(state: RunState, at: string, reason: string): Decision {
  const pending = pendingEscalation(state);
  if (!pending?.during_turn) return NOTHING;
  const terminated: RunEvent = { type: 'agent_terminated', at, escalation: pending.id, reason };
  const repeated = repeatEscalation(evolve(state, terminated), pending, at, {});
  return {
    events: [terminated, ...repeated.events],
    effects: [
      { type: 'close_question', escalation: pending.id },
      { type: 'clear_timer', timer: `reminder:${pending.id}` },
      ...repeated.effects,
    ],
  };
}

/** Failures of the baseline do not count as occurrences, but an external blocker is reported before turn 1. */
function decideBaseline(
  state: RunState,
  envelope: Envelope,
  data: ClaimOf<'baseline_recorded'>,
  rules: Rules,
): Decision {
  const { at } = envelope;
  const recorded: RunEvent = {
    type: 'baseline_recorded',
    at,
    verification: data.verification,
    guards: data.measured.guards,
  };
  const blockers = validTriggers(state, data.measured.guards, envelope, rules).filter(
    ({ evidence }) => evidence.blocker !== undefined,
  );
  if (blockers.length === 0 || state.pending)
    return { events: [recorded], effects: [{ type: 'update_status' }] };
  const raised = raiseEscalation(evolve(state, recorded), blockers, data.measured, at, rules, false);
  return { events: [recorded, ...raised.events], effects: raised.effects };
}

function decideTurnEnd(
  state: RunState,
  envelope: Envelope,
  data: ClaimOf<'turn_ended'>,
  rules: Rules,
  work: WorkFacts | undefined,
): Decision {
  const { at } = envelope;
  const { record, usage, measured } = data;
  const ended: RunEvent = {
    type: 'turn_ended',
    at,
    record,
    guards: measured.guards,
    metrics: measured.metrics,
    active_ms: envelope.active_ms,
    usage,
    changeset: work?.digest,
    ...(state.revision && work?.paths && { files: work.paths, applied: work.applied }),
  };
  const after = evolve(state, ended);
  const next = afterTurn(after, record, measured, envelope, rules, work);
  return { events: [ended, ...next.events], effects: [{ type: 'update_status' }, ...next.effects] };
}

function afterTurn(
  state: RunState,
  record: TurnRecord,
  measured: Measured,
  envelope: Envelope,
  rules: Rules,
  work: WorkFacts | undefined,
): Decision {
  const { at } = envelope;
  const leaks = work?.secrets ?? [];
  const unresolved = work?.unresolved ?? [];
  // Only one question is open at a time, so a turn that ends meanwhile waits for the answer.
  if (state.pending || waitsOverClosedPull(state)) return NOTHING;
  const triggers = withOwnCount(validTriggers(state, measured.guards, envelope, rules), state, rules);
  const unheard = hasUnheardInstruction(state);
  // Completion wins over a guard that trips at the same moment (K-10). It does not win over an instruction that no turn has
  // received, nor over reverted edits, because the work contains neither. Nobody is asked about work that contains a secret.
  if (!unheard && leaks.length + unresolved.length === 0 && isComplete(record, state.known_issues)) {
    const reverted = triggers.filter(({ evidence }) => evidence.proposed?.length);
    const needed =
      reverted.length > 0 ? reverted : rules.examine(toExamine(state, record, work), state.limits);
    if (needed.length > 0) return raiseEscalation(state, needed, measured, at, rules, false);
    return completeRun(state, record, at);
  }
  if (record.kind === 'debug') return afterDebugTurn(state, record, measured, at);
  if (triggers.length > 0) return raiseEscalation(state, triggers, measured, at, rules, false);
  // K-4: not fixable by a successor, and nothing a person has to decide.
  if (!unheard && record.read?.report?.status === 'failed') {
    const reason = record.read.report.errors[0]?.message || 'the agent reported that it failed';
    return finishRun({ at, status: 'failed', partial: true, reason });
  }
  if (leaks.length > 0) return returnLeakedWork(state, at, leaks);
  return unresolved.length > 0 ? returnUnresolved(state, at, unresolved) : NOTHING;
}

/**
 * K-10: checks that passed before any work prove nothing about a task for which no file was changed. If the desk itself finds no
 * changed file, it does not matter what the job says about the checks before: they pass without any work now.
 */
function toExamine(state: RunState, record: TurnRecord, work: WorkFacts | undefined): UnapprovedWork {
  const changed = work?.changed ?? record.changes.paths.length;
  // A round may rightly change nothing: the agent may decline every remark, and each reply says so.
  const isAnswered = state.revision && (record.read?.report?.remarks ?? []).length > 0;
  // The merge itself is the work, also if nothing of the pull request is left after it.
  const isMerge = state.revision?.update !== undefined && work?.digest !== undefined;
  const provesNothing = !isAnswered && !isMerge && (work?.changed === 0 || state.baseline?.ok === true);
  const claimed = record.changes.paths.length;
  // The files of a merge are not those that the agent changed.
  const isMissing = work !== undefined && work.digest === undefined && claimed > 0 && !state.revision?.update;
  return {
    ...unapprovedWork(state, work),
    nothing_changed: changed === 0 && provesNothing && !isMissing,
    missing_work: isMissing ? claimed : undefined,
  };
}

/** G-8: a root cause goes to the next turn; none means the same question again, with what was found. */
function afterDebugTurn(state: RunState, record: TurnRecord, measured: Measured, at: string): Decision {
  const report = record.read?.report;
  const asked = state.escalations.findLast((escalation) =>
    escalation.responses.some((response) => response.response_type === 'debug'),
  );
  if (report?.root_cause_found === true && report.root_cause) {
    const instruction = [
      `The debugging turn found the root cause: ${report.root_cause}`,
      report.fix ? `The fix it proposes: ${report.fix}` : 'Fix it, then continue with the task.',
    ].join('\n');
    const id = `debug.${state.turns.length}`;
    return instructNextTurn(at, { id, command: 'debug', by: 'the debugging turn', instruction });
  }
  if (!asked) return NOTHING;
  const findings = report?.root_cause || report?.summary || 'The debugging turn reported no findings.';
  return repeatEscalation(state, asked, at, {
    findings,
    headline: 'the debug turn found no cause, what next?',
    context: measured.context,
  });
}

/** The agent can fix a leaked value itself, so it is told like after a failing check, and no person is asked. */
function returnLeakedWork(state: RunState, at: string, leaks: WorkFacts['secrets']): Decision {
  const named = leaks.slice(0, LEAKS_NAMED).map(({ path, key }) => `- ${path}: the value of ${key}`);
  const more = leaks.length > named.length ? [`- and ${leaks.length - named.length} more`] : [];
  const instruction = [
    'The work is not accepted: it contains secret values that must never be committed.',
    ...named,
    ...more,
    'Remove them, read them from the environment at run time, and report again.',
  ].join('\n');
  const id = `leak.${state.turns.length}`;
  return instructNextTurn(at, { id, command: 'guide', by: 'autobuild', instruction });
}

/** V-6: a conflict that is still in the files is not done, whatever the agent and the checks say. */
function returnUnresolved(state: RunState, at: string, paths: readonly string[]): Decision {
  const named = paths.slice(0, LEAKS_NAMED).map((path) => `- ${path}`);
  const more = paths.length > named.length ? [`- and ${paths.length - named.length} more`] : [];
  const instruction = [
    'The work is not accepted: these files still have conflict markers.',
    ...named,
    ...more,
    'Resolve them, leave no marker, and report again.',
  ].join('\n');
  const id = `conflict.${state.turns.length}`;
  return instructNextTurn(at, { id, command: 'guide', by: 'autobuild', instruction });
}

/** A trip that was claimed under older limits is void if its guard was re-armed since. */
function validTriggers(state: RunState, guards: GuardStates, envelope: Envelope, rules: Rules): Trigger[] {
  return rules
    .tripped(guards, state.limits)
    .filter((trigger) => (state.rearmed_at[trigger.guard] ?? 0) <= envelope.limits_rev);
}
