import type { Guard, ProposedWrite } from '../core/guard.ts';
import { switchLimit } from './limit-schema.ts';
import { acceptCurrent, approvePaths, orderOptions, review, stayWithin, terminate } from './options.ts';
import { addProposed } from './proposed-writes.ts';
import { joinHeadline, oneLine } from './wording.ts';

interface ScopeState {
  scope: string[];
  proposed: ProposedWrite[];
}

const initial: ScopeState = { scope: [], proposed: [] };

/** E-6. Trips on a write outside the task's paths, before it happens. */
export const specDeviationDetected: Guard<ScopeState, 'on'> = {
  id: 'spec_deviation_detected',
  header: 'Outside the Scope',
  counter: 'Outside',
  type: 'scope_drift',
  kind: 'file_count',
  ...switchLimit(),
  initial,
  reduce(state, event) {
    if (event.type === 'agent_changed') return initial;
    if (event.type === 'rearmed') return event.guards.includes('spec_deviation_detected') ? initial : state;
    if (event.type !== 'write_proposed' || event.proposed.why !== 'out_of_scope') return state;
    return { scope: event.scope, proposed: addProposed(state.proposed, event.proposed) };
  },
  check({ scope, proposed }) {
    if (proposed.length === 0) return undefined;
    return {
      guard: 'spec_deviation_detected',
      kind: 'file_count',
      threshold: null,
      observed: proposed.length,
      evidence: { scope, proposed },
    };
  },
  headline({ observed }) {
    if (observed > 1)
      return joinHeadline(`${observed} files outside the task's paths`, undefined, 'approve them?');
    return joinHeadline("a file outside the task's paths", undefined, 'approve it?');
  },
  question({ evidence }) {
    const paths = oneLine((evidence.proposed ?? []).map((write) => write.path).join(', '));
    const scope = oneLine((evidence.scope ?? []).join(', '));
    return `The agent wants to change ${paths}, outside the task's scope (${scope}). How to proceed?`;
  },
  options({ evidence }, standing) {
    return orderOptions([
      ...approvePaths((evidence.proposed ?? []).map((write) => write.path)),
      stayWithin("the task's paths"),
      acceptCurrent(standing),
      review,
      terminate,
    ]);
  },
};
