import { expect, test } from 'vitest';
import type { Remark } from '../../../../src/core/contracts/revision.ts';
import { PASSING, type Run, startRun } from '../../run-builder.ts';

const DONE = {
  report: { status: 'implemented', summary: 'Did it', remarks: [{ id: 'R1', result: 'declined' }] },
  verification: PASSING,
};
const HEAD = 'a'.repeat(40);
const THEIRS = 'b'.repeat(40);
const REMARK: Remark = { id: 'R1', thread: 'T1', author: 'hubert', path: 'a.ts', text: 'Why?' };

const verified = (run: Run) =>
  run.feed({
    type: 'verification',
    at: run.now(),
    verification: PASSING,
    changeset: run.state.changeset,
  });

/** A round that has ended with a result. */
function ended(): Run {
  const run = startRun({ freshVerification: true });
  verified(run.turn(DONE));
  begin(run);
  verified(run.turn(DONE));
  expect(run.state.revisions).toMatchObject([{ number: 2, outcome: 'done', head: HEAD }]);
  return run;
}

function begin(run: Run): Run {
  const [first] = run.events;
  if (first?.type !== 'run_requested') throw new Error('no run');
  run.say('/continue', { by: 'hubert' });
  const revision = { head: HEAD, remarks: [REMARK] };
  run.feed({ type: 'revise', at: run.now(), revision, limits: first.limits, max: 10 });
  return run.startJob().baseline(PASSING);
}

const move = (run: Run, changes: { verified?: true; round?: number } = {}) =>
  run.feed({ type: 'head_moved', at: run.now(), round: 2, head: THEIRS, changeset: 'digest', ...changes });

test('V-5: the branch moved: the round continues there, and its work is verified again under another name', () => {
  const run = ended();
  const rounds = run.state.revisions;
  expect(move(run).effects).toMatchObject([
    { type: 'describe_pull' },
    { type: 'dispatch_verification', verification: '2.moved-1' },
    { type: 'update_status' },
  ]);
  expect(run.state).toMatchObject({ status: 'building', changeset: 'digest', revisions: [] });
  expect(run.state.revision).toMatchObject({ number: 2, head: THEIRS, remarks: [REMARK] });
  verified(run);
  expect(run.effectTypes).toContain('answer_remarks');
  expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: false } });
  const now = run.state.revisions?.map(({ ended_at: _, ...round }) => round);
  expect(now).toEqual(rounds?.map(({ ended_at: _, ...round }) => ({ ...round, head: THEIRS })));
});

test('V-5: a second move does nothing, nor one of an older round or of a run that does not rest', () => {
  const run = ended();
  move(run, { round: 3 });
  expect(run.state.status).toBe('reviewing');
  move(run);
  expect(move(run).effects).toEqual([]);
  verified(run);
  expect(move(run).effects).toEqual([]);
  expect(run.state.status).toBe('reviewing');
});

test('V-5: with the same files on it, the head needs no new verification, and the result stays', () => {
  const run = ended();
  const { fresh } = run.state;
  move(run, { verified: true });
  expect(run.effectTypes).toContain('publish');
  expect(run.state).toMatchObject({ status: 'reviewing', fresh });
  expect(run.state.revisions).toMatchObject([{ number: 2, head: THEIRS, outcome: 'done' }]);
});

test('V-5: work that a person accepted is not verified on the new head either', () => {
  const run = startRun({ freshVerification: true });
  verified(run.turn(DONE));
  begin(run)
    .turn()
    .beginTurn()
    .askForHelp([{ key: 'colour', label: 'colour' }]);
  run.say('/accept', { by: 'mona' });
  move(run);
  expect(run.effectTypes).toContain('publish');
  expect(run.state.finished).toMatchObject({ by: 'mona', partial: true });
  expect(run.state.revisions).toMatchObject([{ head: THEIRS, outcome: 'partial' }]);
});
