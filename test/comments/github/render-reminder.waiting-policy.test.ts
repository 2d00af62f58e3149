import { describe, expect, it } from 'vitest';
import { renderAnswered } from '../../../src/comments/github/render-answered.ts';
import { renderEscalation } from '../../../src/comments/github/render-escalation.ts';
import { renderReceipt } from '../../../src/comments/github/render-receipt.ts';
import { renderReminder } from '../../../src/comments/github/render-reminder.ts';
import { renderStatus } from '../../../src/comments/github/render-status.ts';
import type { Escalation } from '../../../src/core/contracts/escalation.ts';
import type { RunState } from '../../../src/core/contracts/run-state.ts';
import { question, waiting } from '../questions.ts';
import { asking, run, TIME, WHERE } from '../story.ts';

const golden = (name: string) => `../../golden/comments/${name}.md`;
const DAY_MINUTES = 24 * 60;
const TWO_WEEKS_MS = 14 * DAY_MINUTES * 60_000;

const asked = question('loop');
const forEver = waiting('loop').reminders;
const forTwoWeeks = { ...forEver, expire_ms: TWO_WEEKS_MS };
const reminded = { ...asked, reminders: 2 };

describe('P-10: what people are told of waiting', () => {
  it('P-10: a reminder says when the next one comes; by default nothing else', async () => {
    const markdown = renderReminder(asking(waiting('loop'), reminded), reminded, {
      ...WHERE,
      op: 'r4x9k2.e2.n2',
    });
    expect(markdown).toMatch(/Reminder 2 · asked .* · next reminder .* · `\/pause` stops the reminders/);
    expect(markdown).not.toContain('expires on');
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('reminder'));
  });

  it('P-10: where waiting has an end, question, reminder and status name it', async () => {
    const state = { ...asking(waiting('loop'), reminded), reminders: forTwoWeeks };
    const closes = 'expires on 30 Nov 2026';
    expect(renderEscalation(state, reminded, WHERE)).toContain(closes);
    expect(renderStatus(state, WHERE)).toContain(closes);
    const reminder = renderReminder(state, reminded, { ...WHERE, op: 'r4x9k2.e2.n2' });
    expect(reminder).toContain(closes);
    await expect(`${reminder}\n`).toMatchFileSnapshot(golden('reminder-expires'));
  });

  it('E-12: one that comes back when a later one was written names no next one', () => {
    const state = asking(waiting('loop'), reminded);
    const markdown = renderReminder(state, { ...reminded, reminders: 1 }, WHERE);
    expect(markdown).toContain('Reminder 1 · asked');
    expect(markdown).not.toContain('next reminder');
  });

  it('E-12: one that comes back after the answer asks for nothing', () => {
    const answered = { ...reminded, status: 'resolved_with_override' as const };
    const markdown = renderReminder(asking(waiting('loop'), answered), answered, WHERE);
    expect(markdown).toContain('### ✓ Answered: ');
    for (const word of ['waiting for you', 'Answer here', 'next reminder', 'please answer'])
      expect(markdown).not.toContain(word);
  });

  it('R-13: where no job works, nothing is said to be saved', () => {
    const markdown = renderReminder(waiting('jobs_die'), question('jobs_die'), WHERE);
    expect(markdown).toContain('Still waiting for you: 3 jobs in a row ended before a turn was finished\n');
    expect(markdown).toContain('** Nothing is running.\n');
  });

  it('S-14: a headline that mentions people, such as the name of a CI check, mentions nobody', () => {
    const hostile = {
      ...reminded,
      headline: 'CI fails with the same error 3 rounds in a row: @everyone <b>',
    };
    const markdown = renderReminder(asking(waiting('loop'), hostile), hostile, WHERE);
    expect(markdown).toContain('rounds in a row: `@everyone` &lt;b&gt;\n');
  });

  it('P-10: the last reminder announces the end and no other reminder', () => {
    const last = { ...asked, reminders: 1 };
    const state = {
      ...asking(waiting('loop'), last),
      reminders: { ...forEver, expire_ms: 2 * forEver.every_ms },
    };
    const markdown = renderReminder(state, last, WHERE);
    expect(markdown).toContain('expires on');
    expect(markdown).not.toContain('next reminder');
  });

  it('P-10: a paused run says how long it stays', () => {
    const paused: Partial<RunState> = {
      status: 'waiting_for_input',
      job_live: false,
      paused: { rearm: [], since: TIME(0) },
    };
    const markdown = renderStatus(run({ ...paused, reminders: forTwoWeeks }), WHERE);
    expect(markdown).toContain('### ⏸ Paused: resume with `/continue` before 30 Nov 2026 at 13:00 UTC');
    expect(markdown).toContain('\n\nAfter that, the run expires.\n\n');
    expect(renderStatus(run(paused), WHERE)).toContain('⏸ Paused: resume with `/continue`\n');
  });
});

describe('P-10: reminders that nobody answers', () => {
  it.each([
    [1, '17 Nov 2026 01:00 UTC'],
    [2, '17 Nov 2026 09:00 UTC'],
    [9, '23 Nov 2026 17:00 UTC'],
    [5000, '23 Nov 2026 17:00 UTC'],
  ])('P-10: reminder %i names the next one, which comes later than the last wait', (reminders, next) => {
    const late = { ...asked, reminders, reminded_at: TIME(4 * 60) };
    expect(renderReminder(asking(waiting('loop'), late), late, WHERE)).toContain(`next reminder ${next}`);
  });

  it('P-10: an urgent one never waits longer than a day, or than the config asks', () => {
    const late: Escalation = { ...asked, priority: 'high', reminders: 9, reminded_at: TIME(0) };
    const state = asking(waiting('loop'), late);
    expect(renderReminder(state, late, WHERE)).toContain('next reminder 17 Nov 2026 13:00 UTC');
    const rare = { ...state, reminders: { ...forEver, high_every_ms: 2 * DAY_MINUTES * 60_000 } };
    expect(renderReminder(rare, late, WHERE)).toContain('next reminder 18 Nov 2026 13:00 UTC');
  });

  it('P-10: after the configured number others are asked as well', async () => {
    const late = { ...asked, reminders: 3, reminded_at: TIME(7 * 4 * 60) };
    const state = asking(waiting('loop'), late);
    const escalated = { to: ['corner/leads', 'rosa', 'a b'], after: 2 };
    const where = { ...WHERE, op: 'r4x9k2.e2.n3', escalated };
    const markdown = renderReminder(state, late, where);
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('reminder-escalated'));
    const named = renderReminder(state, late, { ...where, mention_reason: undefined });
    expect(named).toContain(
      '@rosa, please answer. @corner/leads: 2 reminders went unanswered, so you are asked too. Anyone',
    );
    const nobodyElse = renderReminder(state, late, { ...where, escalated: { to: ['rosa'], after: 2 } });
    expect(nobodyElse).toContain('@rosa, please answer (you labelled the issue). Anyone');
  });
});

describe('P-10: a run that nobody answered', () => {
  const at = TIME(14 * DAY_MINUTES + 90);
  const closed: Escalation = {
    ...reminded,
    status: 'resolved_with_termination',
    resolved_at: at,
    resolution: { by: 'autobuild', inputs: {} },
  };
  const finished = { partial: true, reason: 'nobody answered for 14 days', by: 'autobuild', at };
  const over = run({
    status: 'cancelled',
    turn_open: false,
    job_live: false,
    escalations: [closed],
    finished: { ...finished, expired: true },
  });

  it('P-10: status and receipt say why it ended, and how to start again', async () => {
    const status = renderStatus(over, { ...WHERE, op: 'r4x9k2.status' });
    for (const markdown of [status, renderReceipt(over, WHERE)]) {
      expect(markdown).toContain('### ✗ Cancelled: nobody answered for 14 days');
      expect(markdown).toContain('**To start again:** remove and re-add the label.');
    }
    await expect(`${status}\n`).toMatchFileSnapshot(golden('status-expired'));
  });

  it('P-10: the question is closed, and nobody is said to have answered it', async () => {
    const markdown = renderAnswered(over, closed, WHERE);
    expect(markdown).toContain('### ✗ Closed: nobody answered for 14 days');
    expect(markdown).toContain('closed the question and the run on 30 Nov 2026 at 14:30 UTC');
    expect(markdown).not.toMatch(/Answered|- \[ \]|@rosa/);
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('answered-expired'));
  });

  it('P-10: a question before it that was answered stays answered; somebody called autobuild may cancel', () => {
    const before: Escalation = { ...closed, status: 'resolved', resolution: { by: 'rosa', inputs: {} } };
    const answered = renderAnswered(over, before, WHERE);
    expect(answered).toContain('### ✓ Answered: decided by rosa');
    expect(answered).not.toContain('closed the question');
    const byHand = { ...over, finished: { ...finished, reason: 'cancelled by autobuild' } };
    expect(renderStatus(byHand, WHERE)).toContain('### ✗ Cancelled by autobuild: nothing needed from you');
    expect(renderAnswered(byHand, closed, WHERE)).toContain('### ✗ Answered: stopped by autobuild');
  });
});

describe('P-10: whom a comment mentions', () => {
  const asking = (mentions: string[], mention_reason?: string) =>
    renderEscalation(waiting('loop'), asked, { ...WHERE, mentions, mention_reason });

  it.each([
    [['rosa'], '@rosa, please answer. Anyone'],
    [['rosa', 'corner/shop-team'], '@rosa and @corner/shop-team, please answer. Anyone'],
    [['a', 'b_c', 'd/e.f'], '@a, @b_c and @d/e.f, please answer. Anyone'],
  ])('P-10: %j', (mentions, text) => {
    expect(asking(mentions)).toContain(text);
    expect(
      renderReminder(waiting('loop'), asked, { ...WHERE, mentions, mention_reason: undefined }),
    ).toContain(text);
  });

  it.each(['@rosa', 'a b', 'a\n@b', 'a](http://x)', '<b>', 'a/b/c', '-a', '', 'x'.repeat(40), 'rosa\n'])(
    'P-10: %j is no name, and is left out',
    (name) => {
      expect(asking([name])).not.toContain('please answer');
      expect(asking([name, 'rosa'])).toContain('\n@rosa, please answer. Anyone');
    },
  );
});
