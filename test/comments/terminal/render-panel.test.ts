import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { helpRows } from '../../../src/commands/help-text.ts';
import { turnTable } from '../../../src/comments/github/sections/turn-history.ts';
import { renderEnd } from '../../../src/comments/terminal/render-end.ts';
import { renderLiveLine } from '../../../src/comments/terminal/render-live-line.ts';
import { renderPanel } from '../../../src/comments/terminal/render-panel.ts';
import { renderPlain } from '../../../src/comments/terminal/render-plain.ts';
import { renderTerminalReply } from '../../../src/comments/terminal/render-reply.ts';
import { renderTerminalReview } from '../../../src/comments/terminal/render-review.ts';
import { renderTurnLine } from '../../../src/comments/terminal/render-turn-line.ts';
import { cellsOf, terminalText } from '../../../src/comments/terminal/terminal-text.ts';
import type { CommandName } from '../../../src/core/contracts/command.ts';
import type { RunEvent } from '../../../src/core/contracts/run-event.ts';
import { cancelled, done, partial } from '../endings.ts';
import { hostile } from '../hostile-text.ts';
import { QUESTIONS, question, waiting } from '../questions.ts';
import { asking, questionOf, run, TIME, turns, verification, WHERE } from '../story.ts';

const golden = (name: string) => `../../golden/terminal/${name}.txt`;

const panel = (name: string, look = {}) => renderPanel(waiting(name), question(name), look);

describe('the panel', () => {
  it('B-8: a report of sixty parts fits some screens, and says where the rest is', () => {
    const asked = question('blocked_report');
    const report = asked.blocked_report;
    if (!report) throw new Error('this question has a blocked report');
    const sixty = <Part>(parts: readonly Part[]) => Array.from({ length: 60 }, () => parts[0] as Part);
    const long = asking(waiting('blocked_report'), {
      blocked_report: {
        ...report,
        blocking_issues: sixty(report.blocking_issues),
        attempts_made: sixty(report.attempts_made),
        suggested_alternatives: sixty(report.suggested_alternatives),
      },
    });
    const text = renderPanel(long, questionOf(long), {});
    expect(text.split('\n').length).toBeLessThan(100);
    for (const rest of ['… 55 more in', '… 50 earlier in']) expect(text).toContain(rest);
  });

  it.each(Object.keys(QUESTIONS))(
    '%s looks as its golden file, in 80 columns, without colour',
    async (name) => {
      const text = panel(name, { saved: '.autobuild/issue-42/blocked_report.json' });
      for (const line of text.split('\n')) expect(cellsOf(line), line).toBeLessThanOrEqual(80);
      expect(text).not.toContain('\x1b');
      expect(text).not.toMatch(/ \n|\n{3,}/);
      await expect(`${text}\n`).toMatchFileSnapshot(golden(name.replaceAll('_', '-')));
    },
  );

  it.each(Object.keys(QUESTIONS))(
    'E-9: %s offers every command of the record and says how to answer later',
    (name) => {
      const asked = question(name);
      const text = panel(name);
      // A bare /continue with values missing would only be refused here.
      const offered = asked.options.filter(
        ({ command }) => command !== '/terminate' && (command !== '/continue' || asked.inputs.length === 0),
      );
      expect(text).toContain('     /cancel ');
      expect(text).not.toContain('/terminate');
      for (const option of offered) expect(text).toContain(`     ${option.command}`);
      expect(text.includes('/provide ')).toBe(asked.inputs.length > 0);
      expect(text).toContain('esume with:\n   autobuild resume r4x9k2\n');
    },
  );

  it('B-5: title, the four heads, ✓ for "Success" only', () => {
    const text = panel('blocked_report');
    for (const head of [
      'Task Blocked - Structured Report',
      'Blocking Issues',
      'Attempts Made',
      'Suggested Alternatives',
      'Human Action Required',
    ])
      expect(text).toContain(head);
    expect(text).toMatch(/turn 2 +✓ Sell cards/);
    expect(text).toMatch(/turn 7 +✗ Send through/);
  });

  it('B-7: the fallback says so', () => {
    expect(panel('fallback_none').split('\n')[2]).toBe('   Max turns exceeded. Human intervention required.');
    expect(panel('fallback_invalid')).toContain(
      'blocked_report.blocking_issues[0].category is "network"; allowed:',
    );
  });

  it('K-8: a review stays stopped until someone answers', () => {
    const text = panel('review_required');
    expect(text).toContain('USER REVIEW REQUIRED: The issue asks for cards');
    expect(text).toContain('After resolving, reply /continue');
    expect(text).not.toMatch(/by itself|automatically/i);
  });

  it('colour repeats what the words say, and only when it is asked for', () => {
    const plain = panel('loop');
    const painted = panel('loop', { colour: true });
    expect(painted).toContain('\x1b[33m⏸ Waiting for you');
    expect(painted.replace(/\x1b\[\d+m/g, '')).toBe(plain);
  });

  it.each([60, 100, 120])('fits %i columns', (width) => {
    for (const name of Object.keys(QUESTIONS))
      for (const line of panel(name, { width }).split('\n'))
        expect(cellsOf(line), line).toBeLessThanOrEqual(width);
  });

  it.each([
    { total: 14, width: 60, lines: ['10/14, 11/14, 12/14, 13/14, 10/14, 11/14, 12/14, 13/14', '▆▆▇▇▆▆▇▇'] },
    {
      total: 1400,
      width: 60,
      lines: ['10/1400, 11/1400, 12/1400, 13/1400, 10/1400, 11/1400,', '12/1400, 13/1400  ▁▁▁▁▁▁▁▁'],
    },
    { total: 14, width: 80, lines: ['10/14, 11/14, 12/14, 13/14, 10/14, 11/14, 12/14, 13/14  ▆▆▇▇▆▆▇▇'] },
  ])('eight pass rates of $total tests fit $width columns', ({ total, width, lines }) => {
    const pass_rates = Array.from({ length: 8 }, (_, turn) => ({
      turn,
      unit: 'tests' as const,
      passed: 10 + (turn % 4),
      total,
    }));
    const { triggers } = question('no_test_improvement');
    const state = asking(waiting('no_test_improvement'), {
      triggers: triggers.map((trigger) => ({ ...trigger, evidence: { pass_rates } })),
    });
    const text = renderPanel(state, questionOf(state), { width });
    for (const line of text.split('\n')) expect(cellsOf(line), line).toBeLessThanOrEqual(width);
    expect(text).toContain(['   Pass rates', ...lines.map((line) => `     ${line}`), ''].join('\n'));
  });
});

describe('lines', () => {
  it('the live line is one line, cut at the width', async () => {
    const state = run({ turn: 4 });
    const line = renderLiveLine(
      state,
      { elapsed_ms: 41_000, frame: 4, doing: 'edit src/cards/balance.ts\nand more', cost_usd: 1.12 },
      { limits: WHERE.limits },
    );
    const narrow = renderLiveLine(
      state,
      { elapsed_ms: 3_727_000, frame: 11, doing: 'edit' },
      { ...WHERE, width: 40 },
    );
    const first = run({ turn: 0, turns: [], baseline: undefined });
    const baseline = renderLiveLine(
      first,
      { elapsed_ms: 7_000, frame: 2, doing: 'npm test', checking: true },
      WHERE,
    );
    expect(cellsOf(narrow)).toBeLessThanOrEqual(40);
    expect(line).not.toContain('\n');
    const lines = [...state.turns.map((record) => renderTurnLine(record, {})), line, narrow, baseline];
    for (const each of lines) expect(cellsOf(each), each).toBeLessThanOrEqual(80);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden('building'));
  });

  it('E-1: a turn whose agent failed is no success, whatever the checks say', () => {
    const [record] = turns(1);
    if (!record) throw new Error('The story has no turn.');
    const failed = { ...record, failed: true, exit: 'exit 3, failed: boom' };
    expect(renderTurnLine(record, {})).toMatch(/^✓ 1 /);
    expect(renderTurnLine(failed, {})).toMatch(/^✗ 1 /);
    expect(renderTurnLine({ ...failed, title: undefined }, {})).toContain('exit 3, failed: boom');
    const [row] = turnTable([{ ...failed, title: undefined }]).rows;
    expect(row?.[1]).toBe('✗ exit 3, failed: boom');
  });

  it('a pipe gets one line per event, time first', async () => {
    const [record] = turns(1);
    const asked = question('need_help');
    if (!record) throw new Error('The story has no turn.');
    const state = waiting('need_help');
    const events: RunEvent[] = [
      { type: 'job_started', at: TIME(0), job: 1 },
      {
        type: 'baseline_recorded',
        at: TIME(1),
        verification: verification({ passed: 5 }, TIME(1)),
        guards: {},
      },
      { type: 'turn_started', at: TIME(2), turn: 1, kind: 'normal', resumed: false },
      {
        type: 'turn_ended',
        at: TIME(7),
        record,
        guards: {},
        metrics: state.metrics,
        active_ms: 420_000,
        usage: state.usage,
      },
      { type: 'escalation_raised', at: TIME(33, 4), escalation: asked, guards: {} },
      { type: 'agent_frozen', at: TIME(33, 4), escalation: 'e1', processes: 4, ms: 80 },
      {
        type: 'inputs_given',
        at: TIME(64),
        escalation: 'e1',
        inputs: { mail_from: { ref: 'v1', length: 9 } },
        by: 'rosa',
      },
      {
        type: 'answer_acknowledged',
        at: TIME(68),
        escalation: 'e1',
        text: 'Got it.\n::set-env name=A::b\n##[error]x',
      },
      { type: 'limits_changed', at: TIME(69), rev: 2, limits: {}, approved_paths: [] },
      { type: 'job_lost', at: TIME(70), reason: 'exit 137' },
      { type: 'run_finished', at: TIME(80), status: 'reviewing', partial: false, reason: 'complete' },
    ];
    const lines = events
      .map((event) => renderPlain(event, WHERE.limits))
      .filter((line) => line !== undefined);
    expect(lines).toHaveLength(events.length - 1);
    for (const line of lines) expect(line).toMatch(/^\d\d:\d\d:\d\d \S/);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden('plain'));
  });

  it('T-7: where nobody is at the terminal, a question names no key to press', () => {
    const state = waiting('need_help');
    const panel = (unattended: boolean) => renderPanel(state, question('need_help'), { unattended });
    expect(panel(false)).toContain('Ctrl-C pauses the run; resume with:');
    expect(panel(true)).toContain('The agent is paused, its work is saved. Resume with:\n');
    expect(panel(true)).not.toContain('Ctrl-C');
  });

  it('T-7: a pipe is told how many checks pass where no tests are counted, and how the run ended', () => {
    const [record] = turns(1);
    const { metrics, usage } = waiting('need_help');
    if (!record?.verification) throw new Error('The story has no turn with checks.');
    const ended = renderPlain(
      {
        type: 'turn_ended',
        at: TIME(7),
        record: { ...record, verification: { ...record.verification, tests: undefined } },
        guards: {},
        metrics,
        active_ms: 420_000,
        usage,
      },
      WHERE.limits,
    );
    expect(ended).toContain('turn 1 ended: checks 1/2, files');
    const finish = (status: 'reviewing' | 'cancelled' | 'terminated_by_human', partial = false) =>
      renderPlain({ type: 'run_finished', at: TIME(80), status, partial, reason: 'why' }, WHERE.limits);
    expect(finish('reviewing')).toBe('14:20:00 UTC done: why');
    expect(finish('reviewing', true)).toBe('14:20:00 UTC partially done: why');
    expect(finish('cancelled')).toBe('14:20:00 UTC cancelled: why');
    expect(finish('terminated_by_human')).toBe('14:20:00 UTC terminated: why');
  });

  it('replies: the same words as in a comment, without backticks', async () => {
    const replies = [
      renderTerminalReply(
        { tone: 'taken', title: 'Got it: 2 of 2 values.', detail: 'Key: 32 characters.' },
        {},
        helpRows,
      ),
      renderTerminalReply(
        {
          tone: 'refused',
          title: 'Nothing changed: `contineu` is not a command.',
          suggestion: '/continue +5',
          commands: ['continue', 'accept'],
        },
        {},
        helpRows,
      ),
      renderTerminalReply({ tone: 'info', title: 'Turn 4 of 10 is running.' }, {}, helpRows),
    ];
    await expect(`${replies.join('\n\n')}\n`).toMatchFileSnapshot(golden('replies'));
  });

  it('T-7: one command that ends the run is listed, whichever the question offers, and it promises no branch', () => {
    const list = (...commands: CommandName[]) =>
      renderTerminalReply({ tone: 'info', title: 'What you can do now', commands }, {}, helpRows);
    const listed = '  What you can do now\n  /cancel   stop here; the work is kept';
    expect(list('terminate')).toBe(listed);
    expect(list('cancel', 'terminate')).toBe(listed);
  });
});

const LEFT = {
  branch: 'autobuild/card-payments-k7m2q9ab',
  worktree: '/home/ann/.local/state/autobuild/worktrees/k7m2q9ab',
  apply: 'git -C /home/ann/shop apply',
  hasSnapshot: true,
  git: '3 changed, 2 new, not committed',
};

describe('the end', () => {
  it('done, partial, cancelled, parked', async () => {
    const ends = [done, partial, cancelled, { ...waiting('loop'), job_live: false }].map((state) =>
      renderEnd(state, { ...WHERE, left: LEFT }),
    );
    for (const line of ends.join('\n').split('\n')) expect(cellsOf(line), line).toBeLessThanOrEqual(80);
    await expect(`${ends.join('\n\n')}\n`).toMatchFileSnapshot(golden('end'));
  });

  it('S-22: without a fresh job it names changed files that the checks depend on', () => {
    const paths = ['src/a.ts', 'package.json', 'test/a.ts', 'test/b.ts', 'test/c.ts'];
    const local = { ...done, fresh_verification: undefined, changes: { ...done.changes, paths } };
    const line = '  ! the work changes files that the checks depend on: package.json, test/a.ts, tes…';
    expect(renderEnd(local, { ...WHERE, width: line.length }).split('\n')).toContain(line);
    expect(renderEnd({ ...local, changes: { ...done.changes, paths: ['src/a.ts'] } }, WHERE)).not.toContain(
      '!',
    );
    expect(renderEnd(done, WHERE)).not.toContain('!');
  });

  it('V-9: rounds: done, cancelled, failed', async () => {
    const round = {
      ...{ number: 2, by: 'ann', source: 'command' as const, at: TIME(81), ended_at: TIME(84) },
      ...{ remarks: [], turns: 1, cost_usd: 0.2, reason: 'cancelled by ann' },
    };
    const ends = (['done', 'cancelled', 'failed'] as const).map((outcome) =>
      renderEnd({ ...done, revisions: [{ ...round, outcome }] }, { ...WHERE, left: LEFT }),
    );
    for (const line of ends.join('\n').split('\n')) expect(cellsOf(line), line).toBeLessThanOrEqual(80);
    await expect(`${ends.join('\n\n')}\n`).toMatchFileSnapshot(golden('end-of-a-round'));
  });

  it('V-9: one line for each event of a round', async () => {
    const at = TIME(82);
    const events: RunEvent[] = [
      { type: 'revision_asked', at, by: 'ann', source: 'command', instruction: 'use\x1b[31m plus' },
      { type: 'revision_dropped', at, reason: 'there is nothing to do' },
      { type: 'revisions_allowed', at, by: 'ann', more: 1 },
      {
        ...{ type: 'revision_started', at, limits: {}, guards: {} },
        revision: { number: 2, by: 'ann', source: 'command', remarks: [] },
      },
      { type: 'baseline_recorded', at, verification: verification({ passed: 3, total: 3 }, at), guards: {} },
      { type: 'revision_ended', at, outcome: 'cancelled', reason: 'cancelled by ann', remarks: [] },
    ];
    const before = {
      changes: { paths: [], added: 0, removed: 0 },
      known_issues: [],
      turns: 1,
      cost_usd: null,
      active_ms: 0,
    };
    const round = { number: 2, by: 'ann', source: 'command' as const, remarks: [], at, before };
    const lines = events.map((event) => renderPlain(event, WHERE.limits, undefined, round));
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(golden('round-events'));
  });

  it('T-6: times are local and say their zone', () => {
    const event = { type: 'run_paused' as const, at: '2026-11-16T14:31:04.000Z', by: 'ann', rearm: [] };
    expect(renderPlain(event, WHERE.limits, 'America/New_York')).toBe('09:31:04 EST paused by ann');
    expect(renderPlain(event, WHERE.limits, 'Asia/Kolkata')).toMatch(/^20:01:04 (?:IST|GMT\+5:30) paused/);
  });

  it('K-8: a question for review offers /continue', () => {
    const text = panel('review_without_reason');
    expect(text).toContain('     /continue ');
  });

  it('G-12: paused without a question, it says how to resume', () => {
    const parked = renderEnd(
      run({ status: 'waiting_for_input', pending: undefined, paused: { rearm: [] } }),
      WHERE,
    );
    expect(parked).toMatch(/^⏸ Paused: resume with autobuild resume \S+\n/);
  });

  it('G-9: what was skipped is the cause of a partial result', () => {
    const finished = { partial: true, reason: 'complete except for known issues', at: TIME(80) };
    expect(renderEnd(run({ status: 'reviewing', finished }), WHERE)).toContain(
      'partial results due to known issues\n',
    );
  });
});

describe('the review', () => {
  it('G-10: iteration history, error history and loop signatures, then the question again', async () => {
    const asked = question('loop');
    const text = renderTerminalReview(waiting('loop'), asked, {});
    expect(text).toContain('Iteration history: 9 turns');
    expect(text).toMatch(/4× {2}MailError: 401 no API key/);
    expect(text).toMatch(/3× {2}test-fail:2-mails-the-card-to-its-owner/);
    expect(text).toContain(renderPanel(waiting('loop'), asked, {}));
    for (const line of text.split('\n')) expect(cellsOf(line), line).toBeLessThanOrEqual(80);
    await expect(`${text}\n`).toMatchFileSnapshot(golden('review'));
  });
});

describe('agent text in a terminal', () => {
  const STEERING =
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u;

  it('S-14: carries nothing that steers it, S-10: nor a command for the log of a job; each line fits', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostile,
          fc.constantFrom('##[error]x', ' ::set-env name=A::b', '漢字'.repeat(60), 'x'.repeat(300)),
        ),
        fc.integer({ min: 12, max: 100 }),
        (text, width) => {
          const lines = terminalText(text, width, 1_000);
          for (const line of lines) {
            if (STEERING.test(line) || cellsOf(line) > width || line.includes('##[') || /^\s*::/.test(line))
              throw new Error(`${JSON.stringify(line)} at ${width}`);
          }
        },
      ),
      { numRuns: 800, examples: [[':tada: :+1:`-->autobuild::tada: :+1:', 17]] },
    );
  });

  it('keeps words and lists readable', () => {
    expect(terminalText('1. one two three four\n2. five', 14, 100)).toEqual([
      '1. one two',
      '   three four',
      '2. five',
    ]);
  });
});
