import { expect, test } from 'vitest';
import { exitCodeOf } from '../../src/cli/exit-code.ts';
import { PASSING, startRun } from '../core/run-builder.ts';

test('V-9: a round without a result is no 0, although the run rests on a verified result', () => {
  const { state } = startRun().turn({ report: { status: 'implemented' }, verification: PASSING });
  const round = {
    ...{ number: 2, by: 'ann', source: 'command' as const, at: state.updated_at, ended_at: state.updated_at },
    ...{ remarks: [], turns: 1, cost_usd: null },
  };
  const after = (outcome: 'done' | 'cancelled' | 'failed') =>
    exitCodeOf({ ...state, revisions: [{ ...round, outcome }] });
  expect([exitCodeOf(state), after('done'), after('cancelled'), after('failed')]).toEqual([0, 0, 3, 1]);
});
