import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ReminderPlan } from '../../../src/core/contracts/run-event.ts';
import { isUnderWay } from '../../../src/core/contracts/run-state.ts';
import { foldRun } from '../../../src/core/decide/evolve.ts';
import { spanInWords } from '../../../src/core/decide/expiry.ts';
import { readJournal } from '../../../src/store/file.ts';
import { type Run, startRun } from '../run-builder.ts';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const TWO_WEEKS_MS = 14 * DAY_S * 1000;

function asking(expireMs?: number): Run {
  return startRun({ expireMs })
    .beginTurn()
    .askForHelp([{ key: 'url' }, { key: 'colour' }])
    .park();
}

function timerAt(run: Run, timer: string): number {
  const set = run.effects.findLast((effect) => effect.type === 'set_timer' && effect.timer === timer);
  return set?.type === 'set_timer' ? Date.parse(set.at) : Number.NaN;
}

describe('P-10: a run that waits', () => {
  test('P-10: is reminded of, and by default never expires', () => {
    const run = asking();
    for (const number of [1, 2, 3]) {
      run.sleep(365 * DAY_S).timer();
      expect(run.asked).toMatchObject({ status: 'pending', reminders: number });
      expect(run.effectTypes).toEqual(['notify', 'set_timer']);
    }
    run.say('/pause');
    expect(run.effects).not.toContainEqual(expect.objectContaining({ timer: 'expiry:pause' }));
    run.sleep(365 * DAY_S).timer('expiry:pause');
    expect(run.types).toEqual([]);
    expect(run.state).toMatchObject({ status: 'waiting_for_input', paused: {} });
  });

  test('P-10: is reminded of until the time is over, then ends as cancelled, by nobody', () => {
    const run = asking(TWO_WEEKS_MS);
    const asked = Date.parse(run.asked.created_at);
    run.sleep(HOUR_S).timer();
    expect(run.asked.reminders).toBe(1);
    // The last reminder is followed by the end, not by another one.
    run.sleep(14 * DAY_S - 90 * 60).timer();
    expect(run.asked.reminders).toBe(2);
    expect(timerAt(run, 'reminder:e1')).toBe(asked + TWO_WEEKS_MS);
    run.sleep(HOUR_S).timer();
    expect(run.types).toEqual(['escalation_resolved', 'run_finished']);
    expect(run.escalation('e1')).toMatchObject({
      status: 'resolved_with_termination',
      resolution: { by: 'autobuild' },
      responses: [],
    });
    expect(run.state).toMatchObject({
      status: 'cancelled',
      pending: undefined,
      finished: { by: 'autobuild', expired: true, partial: true, reason: 'nobody answered for 14 days' },
    });
    expect(run.effectTypes).toEqual([
      'clear_timer',
      'close_question',
      'update_status',
      'stop_job',
      'update_status',
      'show_receipt',
      'forget_inputs',
    ]);
    expect(run.state.waiting_ms).toBeGreaterThanOrEqual(TWO_WEEKS_MS);
    expect(run.orders).toEqual({ do: 'stop', status: 'cancelled' });
  });

  test('P-10: has all of its time, to the millisecond', () => {
    const run = asking(10 * HOUR_S * 1000);
    const at = (ms: number) => new Date(Date.parse(run.asked.created_at) + ms).toISOString();
    run.feed({ type: 'timer', at: at(10 * HOUR_S * 1000 - 1), timer: 'reminder:e1' });
    expect(run.types).toEqual(['reminder_sent']);
    run.feed({ type: 'timer', at: at(10 * HOUR_S * 1000), timer: 'reminder:e1' });
    expect(run.types).toContain('run_finished');
  });

  test('P-10: what was given in part is said to have been open, and a late answer is told why', () => {
    const run = asking(TWO_WEEKS_MS);
    run.say('/provide url=x');
    run.sleep(15 * DAY_S).timer();
    expect(run.state.finished?.reason).toBe('the question stayed open for 15 days');
    run.say('/provide colour=red', { escalation: 'e1' });
    expect(run.reply).toMatchObject({
      tone: 'refused',
      title: 'Nothing changed: this run has ended. Cancelled: the question stayed open for 15 days.',
      detail: expect.stringContaining('re-add the label'),
    });
  });

  test('P-10: an answer in time stops the clock; the next question has a time of its own', () => {
    const run = asking(10 * HOUR_S * 1000);
    run.sleep(9 * HOUR_S).say('/guide Go on');
    expect(run.last.effects).toContainEqual({ type: 'clear_timer', timer: 'reminder:e1' });
    run.sleep(2 * HOUR_S).timer('reminder:e1');
    expect(run.types).toEqual([]);
    run.startJob().beginTurn().askForHelp();
    expect(run.asked.id).toBe('e2');
    run.sleep(9 * HOUR_S).timer();
    expect(run.types).toEqual(['reminder_sent']);
    run.sleep(2 * HOUR_S).timer();
    expect(run.state.status).toBe('cancelled');
  });

  test('P-10: a job that still holds the agent is stopped', () => {
    const run = startRun({ expireMs: 2 * HOUR_S * 1000 })
      .beginTurn()
      .askForHelp();
    expect(run.state.job_live).toBe(true);
    run.sleep(2 * HOUR_S).timer();
    expect(run.effectTypes).toContain('stop_job');
    expect(run.state.job_live).toBe(false);
  });
});

describe('P-10: a paused run', () => {
  test.each([
    ['while it works', () => startRun({ expireMs: TWO_WEEKS_MS }).beginTurn()],
    ['instead of an answer', () => asking(TWO_WEEKS_MS)],
  ])('P-10: paused %s, it ends when nobody lets it go on', (_, begin) => {
    const run = begin();
    run.say('/pause');
    const paused = Date.parse(run.state.paused?.since ?? '');
    expect(timerAt(run, 'expiry:pause')).toBe(paused + TWO_WEEKS_MS);
    expect(run.reply?.detail).toContain('expires on 2026-11-30');
    run.sleep(14 * DAY_S).timer('expiry:pause');
    expect(run.types).toEqual(['run_finished']);
    expect(run.state).toMatchObject({
      status: 'cancelled',
      paused: undefined,
      finished: { by: 'autobuild', expired: true, reason: 'paused, and nobody continued it for 14 days' },
    });
  });

  test.each(['/continue', '/guide Go on', '/cancel', '/accept'])('P-10: %s stops the clock', (command) => {
    const run = asking(TWO_WEEKS_MS);
    run.say('/pause');
    run.say(command);
    expect(run.last.effects).toContainEqual({ type: 'clear_timer', timer: 'expiry:pause' });
    const { state } = run;
    run.sleep(20 * DAY_S).timer('expiry:pause');
    expect(run.types).toEqual([]);
    expect(run.state).toEqual(state);
  });

  test('P-10: the timer of an earlier pause does not end a later one', () => {
    const run = startRun({ expireMs: TWO_WEEKS_MS }).beginTurn();
    run.say('/pause');
    run.sleep(13 * DAY_S).say('/continue');
    run.say('/pause');
    run.sleep(2 * DAY_S).timer('expiry:pause');
    expect(run.types).toEqual([]);
    expect(!isUnderWay(run.state)).toBe(false);
  });

  test('P-10: a command that leaves it paused leaves the clock running', () => {
    const run = asking(TWO_WEEKS_MS);
    run.say('/pause');
    run.say('/review');
    expect(run.effectTypes).not.toContain('clear_timer');
  });
});

test('P-10: journals and plans of older versions, which know no end of waiting, fold as ever', () => {
  expect(ReminderPlan.parse({ every_ms: 1, high_every_ms: 1 })).toEqual({ every_ms: 1, high_every_ms: 1 });
  expect(() => ReminderPlan.parse({ every_ms: 1, high_every_ms: 1, expire_ms: 0 })).toThrow();
  const file = join(import.meta.dirname, '../../golden/contracts/journal.jsonl');
  const { commits } = readJournal(readFileSync(file), 'journal.jsonl');
  const state = foldRun(commits.flatMap((commit) => commit.events));
  expect(state?.reminders).toEqual({ every_ms: 3_600_000, high_every_ms: 600_000 });
  // A state as an older version stored it: paused, it does not know since when.
  const run = asking(TWO_WEEKS_MS);
  run.say('/pause');
  run.state = { ...run.state, paused: { rearm: [] } };
  run.sleep(20 * DAY_S).timer('expiry:pause');
  expect(run.types).toEqual([]);
});

test.each([
  [60_000, '1 minute'],
  [119 * 60_000, '119 minutes'],
  [2 * HOUR_S * 1000, '2 hours'],
  [47.9 * HOUR_S * 1000, '47 hours'],
  [2 * DAY_S * 1000, '2 days'],
  [TWO_WEEKS_MS + 5_000, '14 days'],
])('%d ms are %s', (ms, words) => {
  expect(spanInWords(ms)).toBe(words);
});
