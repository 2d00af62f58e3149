import { expect, test } from 'vitest';
import { missingReport } from '../../../src/comments/terminal/missing-report.ts';
import type { TurnRecord } from '../../../src/core/contracts/run-event.ts';

const turn = (facts: Partial<TurnRecord> & { ok?: boolean }) =>
  ({ kind: 'normal', verification: { ok: facts.ok ?? true }, ...facts }) as TurnRecord;

test('T-6: a turn that lacks only a report is explained, once in a run', () => {
  const failing = turn({ ok: false });
  const silent = turn({});
  expect(missingReport({ turns: [failing, silent] })).toBe(
    '  ! all checks pass, but the agent left no report in $AUTOBUILD_REPORT, which counts as partial: docs/agents.md#the-report',
  );
  const read = { report: { status: 'implemented' } } as TurnRecord['read'];
  for (const turns of [
    [],
    [failing],
    [silent, silent],
    [silent, failing],
    [turn({ read })],
    [turn({ failed: true })],
    [turn({ kind: 'debug' })],
  ])
    expect(missingReport({ turns })).toBeUndefined();
});
