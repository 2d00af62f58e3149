import { expect, test } from 'vitest';
import { PASSING, Run, startRun } from '../../run-builder.ts';

const twice = (run: Run, job: number, kind: 'build' | 'verify' = 'build', verification?: string) =>
  run.feed({ type: 'ticket_claimed_twice', at: run.now(), job, kind, verification });

test('S-17: a ticket that came twice before the job began pauses the run; /continue starts another job', () => {
  const run = new Run();
  twice(run, 1);
  expect(run.state).toMatchObject({ status: 'waiting_for_input', pending: 'e1', job_live: false });
  expect(run.effectTypes).toEqual(expect.arrayContaining(['stop_job', 'ask', 'update_status']));
  run.say('/continue');
  expect(run.effectTypes).toContain('dispatch_job');
});

test('S-17: a job that works when its ticket comes again is lost', () => {
  const run = startRun().beginTurn();
  twice(run, 1);
  expect(run.state.job_live).toBe(false);
  expect(run.asked.triggers).toMatchObject([{ guard: 'ticket_used_twice' }]);
});

test('S-17: an open question stays, and people are told', () => {
  const run = startRun().beginTurn().askForHelp([]);
  twice(run, 1);
  expect(run.state.pending).toBeDefined();
  expect(run.state.job_live).toBe(false);
  expect(run.reply).toMatchObject({ title: expect.stringMatching(/^The ticket of job 1/) });
});

test('S-17: a ticket of a job that is not awaited any more changes nothing', () => {
  const run = startRun().beginTurn();
  const before = run.state;
  twice(run, 2);
  twice(run, 1, 'verify', '0.1');
  expect(run.state).toEqual(before);
});

test('S-17: the ticket of the fresh job pauses the run, too', () => {
  const run = startRun({ freshVerification: true });
  run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING }).park();
  twice(run, 1, 'verify', '1.1');
  expect(run.asked.triggers).toMatchObject([{ guard: 'ticket_used_twice' }]);
});
