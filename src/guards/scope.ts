import * as z from 'zod';
import {
  type Evidence,
  type ExaminedFile,
  type Guard,
  ProposedWrite,
  type Trigger,
} from '../core/contracts/guard.ts';
import { switchLimit } from './counting/limit-schema.ts';
import { addProposed } from './counting/proposed-writes.ts';
import {
  acceptCurrent,
  approvePaths,
  approveUnasked,
  finishWithout,
  orderOptions,
  refuseUnasked,
  review,
  stayWithin,
  terminate,
} from './words/options.ts';
import { joinHeadline, oneLine } from './words/wording.ts';

const ScopeState = z.object({ scope: z.array(z.string()), proposed: z.array(ProposedWrite) });
type ScopeState = z.infer<typeof ScopeState>;

const initial: ScopeState = { scope: [], proposed: [] };

/** E-6. Trips before a write outside the task's paths. A write that bypassed the gate always trips, even if the guard is off. */
export const specDeviationDetected: Guard<ScopeState, 'on'> = {
  id: 'spec_deviation_detected',
  trips:
    "the agent wants to change a file outside the task's scope. Without a scope any file may be changed.",
  names: 'cause',
  header: 'Outside the Scope',
  headerOf: ({ evidence }) => {
    if (isUnasked(evidence)) return 'Edited Without Asking';
    return isProtectedOnly(evidence) ? 'Approval Needed' : 'Outside the Scope';
  },
  counter: 'Outside',
  counterOf: ({ evidence }) => {
    if (isUnasked(evidence)) return 'Edited without asking';
    return isProtectedOnly(evidence) ? 'To approve' : 'Outside';
  },
  category: 'architectural',
  type: 'scope_drift',
  kind: 'file_count',
  runLimit: 'scope',
  ...switchLimit(),
  initial,
  state: ScopeState,
  reduce(state, event) {
    if (event.type === 'agent_changed') return initial;
    if (event.type === 'rearmed') return event.guards.includes('spec_deviation_detected') ? initial : state;
    if (event.type !== 'write_proposed' || event.proposed.why === 'file_limit') return state;
    return { scope: event.scope, proposed: addProposed(state.proposed, event.proposed) };
  },
  check({ scope, proposed }) {
    return tripOn(scope, proposed);
  },
  checkOff({ proposed }) {
    return tripOn(
      [],
      proposed.filter((write) => write.why === 'gate_bypassed'),
    );
  },
  /** Ignores the limit, because protected files always need approval. */
  examine({ scope, proposed, examined }) {
    const others = proposed.filter(({ why }) => why !== 'file_limit');
    if (others.length === 0) return undefined;
    const isOutside = others.some(({ why, reasons = [why] }) => reasons.includes('out_of_scope'));
    return {
      guard: 'spec_deviation_detected',
      kind: 'file_count',
      threshold: null,
      observed: others.length,
      evidence: { proposed: others, examined, ...(isOutside ? { scope } : {}) },
    };
  },
  headline({ observed, evidence }) {
    if (isFinishedWork(evidence)) {
      const again = changedSince(evidence).length;
      if (again > 0) {
        const which = again > 1 ? `${again} files were` : 'a file was';
        return joinHeadline(
          `${which} approved before and changed since`,
          undefined,
          observed > 1 ? `approve ${observed} files?` : 'approve it?',
        );
      }
      const what = observed > 1 ? `${observed} files` : 'a file';
      return joinHeadline(
        `the finished work changes ${what} that ${observed > 1 ? 'need' : 'needs'} approval`,
        undefined,
        observed > 1 ? 'approve them?' : 'approve it?',
      );
    }
    if (isUnasked(evidence)) {
      const what = observed > 1 ? `${observed} files were` : 'a file was';
      return joinHeadline(
        `${what} edited without asking`,
        undefined,
        observed > 1 ? 'approve them?' : 'approve it?',
      );
    }
    if (observed > 1)
      return joinHeadline(`${observed} files outside the task's scope`, undefined, 'approve them?');
    return joinHeadline("a file outside the task's scope", undefined, 'approve it?');
  },
  question({ evidence }) {
    const paths = namesOf(evidence.proposed ?? []);
    if (isFinishedWork(evidence)) {
      const again = changedSince(evidence);
      const changed = again.length > 0 ? ` Approved before, changed since: ${namesOf(again)}.` : '';
      return `The work is finished, but it changes ${paths}, which needs your approval before it is committed.${changed} How to proceed?`;
    }
    const past = namesOf((evidence.proposed ?? []).filter((write) => write.why === 'gate_bypassed'));
    const bypass = past ? `The agent edited ${past} without asking. ` : '';
    const others = (evidence.proposed ?? []).filter((write) => write.why !== 'gate_bypassed');
    if (others.length === 0) return `${bypass}The edit was reverted and saved. How to proceed?`;
    const scope = oneLine((evidence.scope ?? []).join(', '));
    // A write that the watch found after it was made is no wish any more.
    const wants = others.every(({ held }) => held) ? 'wants to change' : 'changed';
    return `${bypass}The agent ${wants} ${namesOf(others)}, outside the task's scope (${scope}). How to proceed?`;
  },
  options({ evidence }, progress) {
    const paths = (evidence.proposed ?? []).map((write) => write.path);
    const own = isUnasked(evidence)
      ? [approveUnasked(paths.length), refuseUnasked(paths)]
      : [
          ...approvePaths(evidence),
          isFinishedWork(evidence) ? finishWithout(paths) : stayWithin("the task's scope"),
        ];
    return orderOptions([...own, acceptCurrent(progress), review, terminate]);
  },
};

/** True if all proposed files need approval because they are protected, and none because of the scope. */
function isProtectedOnly({ proposed = [] }: Evidence): boolean {
  return proposed.length > 0 && proposed.every(({ why }) => why === 'protected' || why === 'workflow');
}

/** True if all proposed files need approval only because the agent wrote them without asking the gate. */
function isUnasked({ proposed = [] }: Evidence): boolean {
  return proposed.length > 0 && proposed.every(({ why }) => why === 'gate_bypassed');
}

function tripOn(scope: string[], proposed: ProposedWrite[]): Trigger | undefined {
  if (proposed.length === 0) return undefined;
  return {
    guard: 'spec_deviation_detected',
    kind: 'file_count',
    threshold: null,
    observed: proposed.length,
    evidence: isUnasked({ proposed }) ? { proposed } : { scope, proposed },
  };
}

function changedSince({ examined = [] }: Evidence): ExaminedFile[] {
  return examined.filter(({ approved_before }) => approved_before);
}

function namesOf(writes: readonly Pick<ProposedWrite, 'path'>[]): string {
  return oneLine(writes.map((write) => write.path).join(', '));
}

/** True if the files were found in finished work, so no write is waiting. */
function isFinishedWork({ proposed = [] }: Evidence): boolean {
  return proposed.length > 0 && proposed.every((write) => write.finished);
}
