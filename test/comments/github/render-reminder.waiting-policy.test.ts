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
    expect(markdown).not.toContain('closes by itself');
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('reminder'));
  });

  it('P-10: where waiting has an end, question, reminder and status name it', async () => {
    const state = { ...asking(waiting('loop'), reminded), reminders: forTwoWeeks };
    const closes = 'closes by itself on 30 Nov 2026';
    expect(renderEscalation(state, reminded, WHERE)).toContain(closes);
    expect(renderStatus(state, WHERE)).toContain(closes);
    const reminder = renderReminder(state, reminded, { ...WHERE, op: 'r4x9k2.e2.n2' });
    expect(reminder).toContain(closes);
    await expect(`${reminder}\n`).toMatchFileSnapshot(golden('reminder-expires'));
  });

  it('P-10: the last reminder announces the end and no other reminder', () => {
    const last = { ...asked, reminders: 1 };
    const state = {
      ...asking(waiting('loop'), last),
      reminders: { ...forEver, expire_ms: 2 * forEver.every_ms },
    };
    const markdown = renderReminder(state, last, WHERE);
    expect(markdown).toContain('closes by itself on');
    expect(markdown).not.toContain('next reminder');
  });

  it('P-10: a paused run says how long it stays', () => {
    const paused: Partial<RunState> = {
      status: 'waiting_for_input',
      job_live: false,
      paused: { rearm: [], since: TIME(0) },
    };
    const markdown = renderStatus(run({ ...paused, reminders: forTwoWeeks }), WHERE);
    expect(markdown).toContain('### ⏸ Waiting for you: paused, decide before 30 Nov 2026 13:00 UTC');
    expect(markdown).toContain('closes by itself on 30 Nov 2026 13:00 UTC');
    expect(renderStatus(run(paused), WHERE)).toContain('paused, decide when you like');
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
      expect(markdown).toContain('**To start again:** take the label off the issue and set it again.');
    }
    await expect(`${status}\n`).toMatchFileSnapshot(golden('status-expired'));
  });

  it('P-10: the question is closed, and nobody is said to have answered it', async () => {
    const markdown = renderAnswered(over, closed, WHERE);
    expect(markdown).toContain('### ✗ Closed: nobody answered for 14 days');
    expect(markdown).toContain('closed it on 30 Nov 2026 14:30 UTC, and the run with it');
    expect(markdown).not.toMatch(/Answered|- \[ \]|@rosa/);
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('answered-expired'));
  });

  it('P-10: a question before it that was answered stays answered; somebody called autobuild may cancel', () => {
    const before: Escalation = { ...closed, status: 'resolved', resolution: { by: 'rosa', inputs: {} } };
    const answered = renderAnswered(over, before, WHERE);
    expect(answered).toContain('### ✓ Answered: decided by rosa');
    expect(answered).not.toContain('closed it on');
    const byHand = { ...over, finished: { ...finished, reason: 'cancelled by autobuild' } };
    expect(renderStatus(byHand, WHERE)).toContain('### ✗ Cancelled by autobuild: nothing needed from you');
    expect(renderAnswered(byHand, closed, WHERE)).toContain('### ✗ Answered: stopped by autobuild');
  });
});

describe('P-10: whom a comment mentions', () => {
  const asking = (mentions: string[], mention_reason?: string) =>
    renderEscalation(waiting('loop'), asked, { ...WHERE, mentions, mention_reason });

  it.each([
    [['rosa'], 'Asking @rosa. Anyone'],
    [['rosa', 'corner/shop-team'], 'Asking @rosa and @corner/shop-team. Anyone'],
    [['a', 'b_c', 'd/e.f'], 'Asking @a, @b_c and @d/e.f. Anyone'],
  ])('P-10: %j', (mentions, text) => {
    expect(asking(mentions)).toContain(text);
    expect(
      renderReminder(waiting('loop'), asked, { ...WHERE, mentions, mention_reason: undefined }),
    ).toContain(text);
  });

  it.each(['@rosa', 'a b', 'a\n@b', 'a](http://x)', '<b>', 'a/b/c', '-a', '', 'x'.repeat(40), 'rosa\n'])(
    'P-10: %j is no name, and is left out',
    (name) => {
      expect(asking([name])).not.toContain('Asking');
      expect(asking([name, 'rosa'])).toContain('Asking @rosa. Anyone');
    },
  );
});
