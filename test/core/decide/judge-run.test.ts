import { expect, test } from 'vitest';
import { PASSING, type Run, startRun } from '../run-builder.ts';

const implemented = { status: 'implemented', summary: 'All done' };

function close(run: Run, pull = 2): Run {
  run.feed({ type: 'judged', at: run.now(), outcome: 'rejected', by: 'walter', pull });
  return run;
}

test('C-6: closed while a fresh job verifies: nobody waits for its word, and it does not end the run', () => {
  const run = startRun({ freshVerification: true }).turn({ report: implemented, verification: PASSING });
  close(run.park());
  expect(run.last.effects).toContainEqual({ type: 'stop_verification' });
  expect(run.state).toMatchObject({ status: 'waiting_for_input', paused: {} });
  expect(run.feed({ type: 'verification', at: run.now(), verification: PASSING }).events).toEqual([]);
  run.say('/continue');
  expect(run.orders).toMatchObject({ do: 'work', turn: 2 });
});

test('C-6: a turn that ends complete after the close does not end the run; the one after /continue does', () => {
  const run = close(startRun().beginTurn());
  expect(run.orders).toEqual({ do: 'park' });
  run.endTurn({ report: implemented, verification: PASSING });
  expect(run.state.status).toBe('waiting_for_input');
  expect(run.effects).not.toContainEqual({ type: 'publish', ready: true });
  run.say('/continue');
  run.turn({ report: implemented, verification: PASSING });
  expect(run.state.status).toBe('reviewing');
  expect(run.last.effects).toContainEqual({ type: 'publish', ready: true });
});

test('C-6: closed once is told once; opened again the run stays paused, and the next close is told', () => {
  const run = close(startRun().beginTurn());
  expect(close(run).last).toEqual({ events: [], effects: [] });
  run.feed({ type: 'reopened', at: run.now(), by: 'walter', pull: 7 });
  expect(run.last.events).toEqual([]);
  run.feed({ type: 'reopened', at: run.now(), by: 'walter', pull: 2 });
  expect(run.state.closed_pull).toBeUndefined();
  expect(run.orders).toEqual({ do: 'park' });
  expect(close(run).last.events.map(({ type }) => type)).toEqual(['pull_request_closed']);
});

test('C-6: closed and left alone, a run expires as any paused one', () => {
  const run = close(startRun({ expireMs: 3_600_000 }).beginTurn());
  const timer = run.last.effects.find(({ type }) => type === 'set_timer');
  expect(timer).toMatchObject({ timer: 'expiry:pause' });
  run.sleep(3_700).feed({ type: 'timer', at: run.now(), timer: 'expiry:pause' });
  expect(run.state).toMatchObject({ status: 'cancelled', finished: { expired: true } });
});

test('C-6: /status says why it is paused', () => {
  const run = close(startRun().beginTurn());
  run.say('/status');
  expect(run.last.effects).toMatchObject([
    { reply: { title: 'Paused: the pull request was closed by walter; /continue opens a new one' } },
  ]);
});

test.each(['approved', 'rejected'] as const)(
  'R-3: what is left to do about a pull request is decided with its end (%s)',
  (outcome) => {
    const run = startRun().turn({ report: implemented, verification: PASSING });
    run.feed({ type: 'judged', at: run.now(), outcome, by: 'walter', pull: 2, refused: true });
    expect(run.state.status).toBe(outcome);
    expect(run.last.effects).toContainEqual({ type: 'settle_pull', pull: 2, refused: true });
  },
);
