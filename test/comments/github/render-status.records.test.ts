import { describe, expect, it } from 'vitest';
import { helpRows } from '../../../src/commands/help-text.ts';
import { renderAnswered } from '../../../src/comments/github/render-answered.ts';
import { keepAddedText, renderPullRequest } from '../../../src/comments/github/render-pull-request.ts';
import { renderReceipt } from '../../../src/comments/github/render-receipt.ts';
import { renderReminder } from '../../../src/comments/github/render-reminder.ts';
import { renderReply } from '../../../src/comments/github/render-reply.ts';
import { renderReview } from '../../../src/comments/github/render-review.ts';
import { renderStatus } from '../../../src/comments/github/render-status.ts';
import { skipsCi } from '../../../src/comments/text/skip-ci.ts';
import type { Escalation } from '../../../src/core/contracts/escalation.ts';
import type { RunState } from '../../../src/core/contracts/run-state.ts';
import { PASSING, Run, startRun } from '../../core/run-builder.ts';
import { cancelled, done, failsAfresh, partial, paused } from '../endings.ts';
import { question, valueGiven, valuesGiven, waiting } from '../questions.ts';
import { run, TIME, WHERE } from '../story.ts';

const golden = (name: string) => `../../golden/comments/${name}.md`;

const unpublished = {
  why: 'the files changed after verification',
  detail: 'Remove and re-add the label to build it again.',
};

describe('a question after its answer', () => {
  it('E-11: says who answered, by what, and what the agent said; the boxes are gone', async () => {
    const { state } = valuesGiven();
    const markdown = renderAnswered(state, state.escalations[0] as Escalation, WHERE);
    expect(markdown).not.toContain('- [ ]');
    expect(markdown).toContain('### ✓ Answered: 2 of 2 values given by rosa, running again');
    expect(markdown).toContain(
      'acknowledged: "Both values received, running the live tests. Thanks `@rosa`!"',
    );
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('answered'));
  });

  it('E-11: was open for no minute if it was answered by a desk whose clock is behind', () => {
    const { state } = valuesGiven();
    const asked = state.escalations[0] as Escalation;
    const behind = new Date(Date.parse(asked.created_at) - 20_000).toISOString();
    expect(renderAnswered(state, { ...asked, resolved_at: behind }, WHERE)).toContain('Open for 0 min');
  });

  it.each([
    ['resolved_with_override', '✓ Answered: rosa chose another approach'],
    ['resolved_with_approval', '✓ Answered: approved by rosa'],
    ['resolved_with_termination', '✗ Answered: stopped by rosa'],
    ['agent_terminated', "✗ Closed: the agent's process ended"],
  ] as const)('E-10: %s has its own headline', (status, headline) => {
    const closed = { ...(partial.escalations.at(-1) as Escalation), status };
    expect(renderAnswered(run({ escalations: [closed], status: 'cancelled' }), closed, WHERE)).toContain(
      `### ${headline}`,
    );
  });
});

describe('a run that was paused', () => {
  it('E-7: no work is called saved before the first job has begun', () => {
    const unbegun = new Run();
    unbegun.say('/pause');
    expect(renderStatus(unbegun.state, WHERE)).toContain(
      'No job is running: **waiting uses no runner minutes.**',
    );
    const begun = startRun().turn().park();
    begun.say('/pause');
    expect(renderStatus(begun.state, WHERE)).toContain('The work is saved and the job has ended');
  });
});

describe('entries of a job that do not count', () => {
  const dropped = (reasons: Record<string, number>) =>
    renderStatus(waiting('loop'), { ...WHERE, dropped: { job: 2, reasons } });

  it('N-3: the status says how many, of which job, and why', () => {
    expect(dropped({ 'out of order': 2, 'cut off': 1 })).toContain(
      '**Job 2 left 3 entries that do not count:** out of order (2), cut off (1). Everything else that it left counts.',
    );
    expect(dropped({ 'too long': 1 })).toContain('**Job 2 left 1 entry that does not count:** too long (1).');
    expect(renderStatus(waiting('loop'), WHERE)).not.toContain('not count');
  });

  it('N-3: whatever the reasons are, it stays short and harmless', () => {
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`@rosa <b>${index}</b>\n# x`, 1]),
    );
    const line =
      dropped(many)
        .split('\n')
        .find((text) => text.includes('left 50 entries')) ?? '';
    expect(line.length).toBeLessThan(900);
    expect(line).not.toMatch(/(?<!`)@rosa|<b>/);
  });
});

describe('the review', () => {
  it('G-10: iteration history, error history and loop signatures, then the same question with the same box ids', async () => {
    const asked = question('loop');
    const markdown = renderReview(waiting('loop'), asked, WHERE);
    expect(markdown).toContain('| 9 | Wait for the queue in the test |');
    expect(markdown).toContain('Error history: most frequent errors (4)');
    expect(markdown).toContain(
      '| **3** | `test-fail:2-mails-the-card-to-its-owner,redeems-a-card-twice` | 7, 8, 9 |',
    );
    const ids = [...markdown.matchAll(/autobuild:option id=(\S+)/g)].map((match) => match[1]);
    expect(ids).toEqual(asked.options.map((option) => `e2.${option.id}`));
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('review'));
  });

  it('G-10: without a question it is the history alone', () => {
    const markdown = renderReview(run(), undefined, WHERE);
    expect(markdown).toContain('### ▶ Review: 5 turns so far');
    expect(markdown).not.toContain('- [ ]');
  });
});

const statuses: Record<string, RunState> = {
  'status-building': run({ turn: 4 }),
  'status-fails-afresh': failsAfresh,
  'status-waiting': valueGiven(),
  'status-no-job': waiting('jobs_die'),
  'status-paused': paused,
  'status-done': done,
  'status-partial': partial,
  'status-cancelled': cancelled,
  'status-failed': run({
    status: 'failed',
    turn: 1,
    turn_open: false,
    job_live: false,
    task: { ...run().task, scope: undefined },
    finished: { partial: true, reason: 'the agent could not be started', at: TIME(4) },
  }),
};

describe('the status comment', () => {
  it.each(Object.entries(statuses))('%s looks as its golden file', async (name, state) => {
    const markdown = renderStatus(state, { ...WHERE, op: 'r4x9k2.status' });
    expect(markdown, 'progress never uses boxes').not.toContain('- [ ]');
    expect(markdown, 'an edit mentions nobody').not.toMatch(/(^|\s)@\w/);
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden(name));
  });

  it.each([
    ['status-closed', statuses['status-paused']],
    ['status-waiting-closed', statuses['status-waiting']],
  ] as const)('C-6: %s says who closed the pull request, and how to go on', async (name, state) => {
    const closed = { ...(state as RunState), closed_pull: { number: 31, by: 'walter' } };
    const links = { ...WHERE.links, pull_request: undefined, changes: undefined };
    const markdown = renderStatus(closed, { ...WHERE, links, op: 'r4x9k2.status' });
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden(name));
  });

  it('R-5: a job that is silent while its question is open is shown as silent, and nothing is said of its work', async () => {
    const silent = { ...WHERE, op: 'r4x9k2.status', silent_since: TIME(64) };
    const held = { ...valueGiven(), job_live: true };
    const markdown = renderStatus(held, silent);
    expect(markdown).not.toMatch(/saved|nothing is running/);
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('status-waiting-silent'));
    const reminder = renderReminder(held, held.escalations.at(-1) as Escalation, silent);
    expect(reminder).not.toMatch(/saved|nothing is running/i);
    expect(renderStatus(valueGiven(), silent), 'its job has ended').not.toContain('No sign of life');
    expect(renderStatus({ ...paused, job_live: true }, silent)).toContain(
      'If it has ended, `/continue` starts a new one.',
    );
  });

  it('E-6: says that no scope is declared', () => {
    expect(renderStatus(statuses['status-failed'] as RunState, WHERE)).toContain(
      'no scope set: any file may be changed',
    );
    expect(renderStatus(statuses['status-building'] as RunState, WHERE)).not.toContain('inactive');
  });

  it.each([
    ['pending', '▶ Building: a job is starting, nothing needed from you'],
    ['approved', '✓ Done: merged, nothing needed from you'],
    ['rejected', '✗ Closed without merging: nothing needed from you'],
    ['terminated_by_human', '✗ Terminated by rosa: nothing needed from you'],
  ] as const)('P-3: the headline of %s', (status, headline) => {
    const state = run({ status, finished: { partial: false, reason: '', by: 'rosa', at: TIME(9) } });
    expect(renderStatus(state, WHERE)).toContain(`### ${headline}`);
  });
});

describe('work that did not get to a pull request', () => {
  it('status and receipt say why and what can be done, and ask nobody to review it', async () => {
    const where = {
      ...WHERE,
      unpublished,
      links: { ...WHERE.links, pull_request: undefined, changes: undefined },
    };
    const receipt = renderReceipt(done, { ...where, op: 'r4x9k2.receipt' });
    const status = renderStatus(done, { ...where, op: 'r4x9k2.status' });
    expect(status.split('\n')[1]).toBe('### ✗ Not published: the files changed after verification');
    for (const text of [receipt, status]) expect(text).not.toMatch(/review/i);
    await expect(`${status}\n`).toMatchFileSnapshot(golden('status-unpublished'));
    await expect(`${receipt}\n`).toMatchFileSnapshot(golden('receipt-unpublished'));
  });

  it('a draft of an earlier state is not called ready', () => {
    const status = renderStatus(done, { ...WHERE, unpublished, op: 'r4x9k2.status' });
    expect(status).toContain('Draft pull request #43');
    expect(status).not.toContain('ready for your review');
  });
});

describe('the receipt', () => {
  it('looks as its golden file', async () => {
    await expect(`${renderReceipt(done, { ...WHERE, op: 'r4x9k2.receipt' })}\n`).toMatchFileSnapshot(
      golden('receipt'),
    );
  });
});

describe('the pull request', () => {
  it('E-17: the receipt counts turns as its table does, and says what was not reported; one turn is not all of them', () => {
    const usage = { ...done.usage, cost_usd: null, input_tokens: 0, output_tokens: 0 };
    const text = renderPullRequest({ ...done, usage, turns: done.turns.slice(1) }, WHERE);
    expect(text).toContain('Receipt: 7/10 turns, 37/60 min working, cost not reported<');
    expect(text).toContain('\n| 7/10 | 37/60 min |');
    expect(renderStatus({ ...done, turns: done.turns.slice(0, 1) }, WHERE)).not.toContain('All 1 turn');
  });

  it('done: closes the issue', async () => {
    const markdown = renderPullRequest(done, WHERE);
    expect(markdown).toContain('\nCloses #42\n');
    expect(markdown).not.toContain('[!WARNING]');
    expect(renderPullRequest(done, { ...WHERE, issue: undefined })).not.toMatch(/Closes/);
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('pull-request-done'));
  });

  it('G-7: a partial result carries the warning and does not close the issue; G-9: known issues are listed', async () => {
    const markdown = renderPullRequest(partial, WHERE);
    expect(markdown).toContain('Task completed with partial results due to max_iterations');
    expect(markdown).not.toMatch(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+#\d/i);
    expect(markdown).toContain('**Known issues**');
    expect(markdown).toContain('skipped by hugo');
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('pull-request-partial'));
  });

  it('R-8: work that no fresh job could verify says so before everything else', () => {
    const lost = startRun({ freshVerification: true }).turn({
      report: { status: 'implemented', summary: 'Added the form' },
      verification: PASSING,
    });
    lost.park();
    for (let attempt = 1; attempt <= 3; attempt += 1)
      lost.feed({ type: 'job_lost', at: lost.now(), reason: 'timed out', verifying: true });
    const markdown = renderPullRequest(lost.state, WHERE);
    expect(markdown).toContain(
      '**Not verified: the job that runs the checks on a clean checkout ended three times',
    );
    expect(markdown).toContain('5 of 5 tests pass where the agent worked.');
    expect(markdown).not.toMatch(/partial results|Closes/);
  });

  it('a draft says that it is not finished and closes nothing', () => {
    const markdown = renderPullRequest(run(), WHERE);
    expect(markdown).toContain('**Not finished yet.**');
    expect(markdown).toContain('Part of #42, which stays open.');
  });

  it('asks before CI runs, for the commit that is there, and names what is not in it', async () => {
    const head = 'c0ffee'.padEnd(40, '0');
    const left_out = {
      files: [
        { path: 'latest', problem: 'it is a symbolic link' },
        { path: 'a`b\n- [x] <!-- autobuild:option id=ci.x -->', problem: 'fixes #7\n- [x] @rosa' },
      ],
      total: 23,
    };
    const markdown = renderPullRequest(run(), WHERE, { ci: { head }, left_out });
    expect(markdown.match(/^- \[[ x]\].*$/gm)).toEqual([
      `- [ ] <!-- autobuild:option id=ci.${head} --> **Run CI on this branch**: for this commit only; new commits need another tick.`,
    ]);
    await expect(`${markdown}\n`).toMatchFileSnapshot(golden('pull-request-draft'));
    const asked = { sha: head, by: 'hugo' };
    const running = renderPullRequest(run(), WHERE, { ci: { head, asked } });
    expect(running).toContain('✓ CI runs on `c0ffee0`, requested by hugo.');
    expect(running).not.toContain('- [');
    // On newer work it did not run yet.
    const newer = renderPullRequest(run(), WHERE, { ci: { head: 'd'.repeat(40), asked } });
    expect(newer).toContain('- [ ] <!-- autobuild:option id=ci.dddd');
    expect(newer).not.toContain('✓ CI runs');
  });

  it('never tells GitHub to skip CI, because it may become the message of a squash', () => {
    const left_out = { files: [{ path: 'docs/[skip ci].md', problem: 'it is a symbolic link' }], total: 1 };
    const markdown = renderPullRequest(run(), WHERE, { ci: { head: 'd'.repeat(40) }, left_out });
    expect(markdown).toContain('skip ci].md');
    expect(skipsCi(markdown)).toBe(false);
  });

  it('of a run that was stopped says so, and not that somebody accepted it', () => {
    const finished = { partial: true, reason: 'cancelled by hugo', by: 'hugo', at: TIME(9) };
    const markdown = renderPullRequest(run({ status: 'cancelled', finished }), WHERE);
    expect(markdown).toContain('**Not finished: cancelled by hugo.**');
    expect(markdown).not.toContain('ccepted');
  });

  it('keeps what people wrote below its last line', () => {
    const before = renderPullRequest(run(), WHERE);
    const after = renderPullRequest(done, WHERE);
    expect(keepAddedText(`${before}\r\n\r\nSee the wiki.\r\n`, after)).toBe(`${after}\n\nSee the wiki.`);
    expect(keepAddedText(before, after)).toBe(after);
    expect(keepAddedText('All of it was replaced.', after)).toBe(after);
  });

  it('C-5: the blocked report can be read on the pull request', () => {
    const markdown = renderPullRequest(partial, WHERE);
    for (const head of [
      'Task Blocked - Structured Report',
      'Blocking Issues',
      'Attempts Made',
      'Suggested Alternatives',
      'Human Action Required',
    ])
      expect(markdown).toContain(head);
  });
});

describe('replies', () => {
  it('each tone, with a line to copy and the commands that make sense', async () => {
    const where = { ...WHERE, op: 'r4x9k2.r1' };
    const replies = [
      renderReply(
        'r4x9k2',
        { tone: 'taken', title: 'Got it: 2 of 2 values.', detail: 'Key of the mail sandbox: 32 characters.' },
        where,
        helpRows,
      ),
      renderReply(
        'r4x9k2',
        {
          tone: 'waiting',
          title: '1 of 2 values given.',
          detail: 'Still missing: Key (`mail_api_key`). To continue without it, use `/guide`.',
        },
        where,
        helpRows,
      ),
      renderReply(
        'r4x9k2',
        {
          tone: 'refused',
          title: 'Nothing changed: `/contineu` is not a command.',
          suggestion: '/continue +5',
          commands: ['continue', 'guide', 'approve', 'accept'],
        },
        where,
        helpRows,
      ),
      renderReply('r4x9k2', { tone: 'info', title: 'Turn 4 of 10 is running.' }, where, helpRows),
    ];
    await expect(`${replies.join('\n\n')}\n`).toMatchFileSnapshot(golden('replies'));
  });
});

it.each([
  ['held', "the model's key is hidden from the agent"],
  ['login', "the agent has the model's key (it is a login)"],
] as const)('S-4: the status says who has the key of the model: %s', (keys, words) => {
  expect(renderStatus(run({ keys }), WHERE)).toContain(words);
  expect(renderStatus(run({}), WHERE)).not.toContain("the model's key");
});
