import { expect, test } from 'vitest';
import { roundHead, roundParents } from '../../../src/core/work/round-head.ts';
import { startRun } from '../run-builder.ts';

const [BEGUN, HEAD, BASE] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const target = { head_sha: BEGUN };

test('V-6: an update is a change of the base, put on the head and the base', () => {
  const { state } = startRun();
  expect(roundHead(state, target)).toBe(BEGUN);
  expect(roundParents(state, target)).toEqual([BEGUN]);
  const round = { number: 2, by: 'ann', source: 'update', head: HEAD, remarks: [] } as const;
  const revision = { ...round, at: state.requested_at, before: { turns: 1, cost_usd: 0, active_ms: 0 } };
  expect(roundParents({ revision } as never, target)).toEqual([HEAD]);
  const update = { branch: 'main', sha: BASE, conflicts: [] };
  const merging = { revision: { ...revision, update } } as never;
  expect(roundHead(merging, target)).toBe(BASE);
  expect(roundParents(merging, target)).toEqual([HEAD, BASE]);
});
