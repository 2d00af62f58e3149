import { HelpRequest } from '../../src/core/contracts/agent/help-request.ts';
import type { GuardEvent, GuardId } from '../../src/core/contracts/guard.ts';
import {
  action,
  baseline,
  check,
  clock,
  error,
  failed,
  proposed,
  testRun,
  times,
  turnEnded,
  usage,
  verification,
  verified,
} from './guard-events.ts';
import { reported } from './reported.ts';

export interface Trip {
  guard: GuardId;
  limit?: unknown;
  events: GuardEvent[];
}

/** For each guard the shortest story that trips it under its default limit, in the order in which guards lead. */
export function tripsOfEveryGuard(): Trip[] {
  const blocker = { kind: 'permission_denied', resource: '/etc/key', operation: 'read' } as const;
  const help = HelpRequest.parse({ what_i_tried: 'a', what_i_need: 'b' });
  const files = times(20, (index) => `src/${index}.ts`);
  return [
    {
      guard: 'external_blocker',
      events: [verified(verification({ checks: [check({ ok: false, blocker })] }))],
    },
    { guard: 'need_help', events: [{ type: 'help_requested', turn: 1, help }] },
    { guard: 'review_required', events: [reported({ status: 'blocked' })] },
    { guard: 'files_modified_exceeds', events: [proposed('x.ts', 'file_limit', files)] },
    { guard: 'spec_deviation_detected', events: [proposed('x.ts', 'out_of_scope', [], ['src/**'])] },
    { guard: 'same_error_repeated', events: times(3, () => failed([error('boom')])) },
    { guard: 'loop_detected', events: times(3, (turn) => failed([], { turn, signature: 'error:boom' })) },
    {
      guard: 'no_test_improvement_after',
      events: [baseline(testRun(3, 5)), ...times(3, (turn) => verified(testRun(3, 5), { turn: turn + 1 }))],
    },
    { guard: 'no_file_changes_after_attempts', events: times(5, () => action({ ok: false })) },
    { guard: 'consecutive_errors', events: times(5, () => action({ ok: false })) },
    { guard: 'cost_exceeds', limit: 5, events: [usage(5)] },
    { guard: 'total_verification_attempts', events: times(10, () => failed([])) },
    { guard: 'max_runtime', events: [clock(60)] },
    { guard: 'max_iterations', events: times(10, (turn) => turnEnded(turn + 1)) },
  ];
}
