import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderEscalation } from '../../../src/comments/github/render-escalation.ts';
import { renderPullRequest } from '../../../src/comments/github/render-pull-request.ts';
import { renderReceipt } from '../../../src/comments/github/render-receipt.ts';
import { renderRemarkReply, renderRoundSummary } from '../../../src/comments/github/render-round.ts';
import { renderStatus } from '../../../src/comments/github/render-status.ts';
import type { Remark, SettledRemark } from '../../../src/core/contracts/revision.ts';
import { PASSING, type Run, startRun, tests } from '../../core/run-builder.ts';
import { WHERE } from '../story.ts';

const HEAD = '3c81d02'.padEnd(40, '0');
const BEFORE = '9f57984'.padEnd(40, '0');
const golden = (name: string) => join(import.meta.dirname, '../../golden/comments', `${name}.md`);

const remark = (id: string): Remark => ({
  ...{ id, thread: `T_${id}`, author: 'hubert', path: 'src/login.ts', text: 'As said' },
});
const DONE = { report: { status: 'implemented', summary: 'Added the form' }, verification: PASSING };

/** A run that rested, and whose second round is at work. */
function inRound(): Run {
  const run = startRun().turn(DONE);
  const [first] = run.events;
  if (first?.type !== 'run_requested') throw new Error('no run');
  const url = 'https://github.com/acme/storefront/pull/131#pullrequestreview-88';
  run.feed({ type: 'revision_asked', at: run.now(), by: 'hubert', source: 'review', url });
  const revision = { head: BEFORE, remarks: ['R1', 'R2', 'R3', 'R4'].map(remark) };
  run.feed({ type: 'revise', at: run.now(), revision, limits: first.limits, max: 10 });
  return run.startJob().baseline(PASSING);
}

function afterRound(): Run {
  const answers = [
    { id: 'R1', result: 'fixed', note: 'A test covers it.' },
    { id: 'R2', result: 'declined', note: 'It is in cents everywhere.' },
    { id: 'R3', result: 'question', note: 'Empty the basket, or keep it?' },
  ];
  return inRound().turn({
    report: { status: 'implemented', summary: 'Checks the age of events', remarks: answers },
    verification: PASSING,
    changes: { paths: ['src/login.ts'], added: 3, removed: 1 },
  });
}

const commitOf = (round: number) => (round === 1 ? BEFORE : HEAD);

test('V-8: the description in a round', async () => {
  const text = renderPullRequest(inRound().state, WHERE, {
    commitOf: (round) => (round === 1 ? BEFORE : undefined),
  });
  expect(text).toContain('Closes #');
  expect(text).not.toContain('[!WARNING]');
  await expect(text).toMatchFileSnapshot(golden('pull-request-in-a-round'));
});

test('V-8: while a round waits for an answer, the description says so and links to the question', () => {
  const run = inRound().beginTurn();
  run.askForHelp([]);
  const question = 'https://github.com/corner/shop/issues/42#issuecomment-1001';
  const where = { ...WHERE, links: { ...WHERE.links, question } };
  const text = renderPullRequest(run.state, where, {});
  expect(text).toContain(
    `> ⏸ **Round 2 waits for an answer**: 4 remarks by hubert. [Question](${question}). Started`,
  );
  expect(text).toContain('Rounds: 2, the last is waiting');
  expect(text).not.toContain('running');
  expect(renderPullRequest(run.state, { ...WHERE, links: {} }, {})).toContain('4 remarks by hubert. Started');
  const paused = inRound();
  paused.say('/pause');
  expect(renderPullRequest(paused.state, WHERE, {})).toContain(
    '> ⏸ **Round 2 is paused**: 4 remarks by hubert. Resume with `/continue`.',
  );
});

test('V-8: the description after a round, with open remarks', async () => {
  const open_remarks = [
    ...Array.from({ length: 3 }, () => ({ author: 'hubert', is_bot: false })),
    ...Array.from({ length: 2 }, () => ({ author: 'linter[bot]', is_bot: true })),
  ];
  const text = renderPullRequest(afterRound().state, WHERE, { commitOf, open_remarks });
  await expect(text).toMatchFileSnapshot(golden('pull-request-after-a-round'));
});

test('V-1, V-8: a round that changed nothing, accepted or cancelled, leaves the description as it was but for its row', () => {
  const rested = renderPullRequest(startRun().turn(DONE).state, WHERE, {});
  const claims = rested.slice(0, rested.indexOf('<details>'));
  expect(claims).toContain('Added the form');
  for (const [command, row] of [
    ['/accept', 'partial: no file was changed'],
    ['/cancel', 'nothing: cancelled'],
  ] as const) {
    const run = inRound().turn({
      report: { status: 'partial', summary: 'Looked around' },
      verification: tests(2, 5),
      changes: { paths: [], added: 0, removed: 0 },
    });
    run.say(command);
    const text = renderPullRequest(run.state, WHERE, { commitOf });
    expect(text.slice(0, text.indexOf('<details>'))).toBe(claims);
    expect(text).toContain(`| ${row} |`);
  }
});

test('V-4: the summary and the line in each thread', async () => {
  const { state } = afterRound();
  const [round] = state.revisions ?? [];
  if (!round) expect.fail('no round has ended');
  const facts = { state, round, head: HEAD };
  const results: (SettledRemark & { path?: string })[] = [
    ...round.remarks,
    { id: 'R5', result: 'applied' },
    { id: 'R6', result: 'unchanged', note: 'It is done.', path: 'src/payments/intent.ts' },
  ];
  const lines = results.map((settled) => renderRemarkReply(settled, facts, `r1.round-2.${settled.id}`));
  const text = [renderRoundSummary(facts, 'r1.round-2.summary'), ...lines].join('\n\n---\n\n');
  await expect(text).toMatchFileSnapshot(golden('round-answers'));
});

test('V-4: answers without a thread are in the summary: to the words of reviews, and to remarks elsewhere', async () => {
  const { state } = afterRound();
  const [round] = state.revisions ?? [];
  if (!round) expect.fail('no round has ended');
  const url = 'https://github.com/acme/storefront/pull/131#pullrequestreview-88';
  const note = 'Should the old name stay as an alias? @everyone <!-- x -->';
  const text = renderRoundSummary({ state, round, head: HEAD }, 'r1.round-2.summary', {
    to_reviews: [
      { id: 'R5', result: 'question', note, author: 'hubert', url },
      { id: 'R6', result: 'declined', note: 'The module is public.', author: 'rita', url: 'javascript:x' },
      { id: 'R7', result: 'unanswered' },
    ],
    refused: [{ id: 'R9', result: 'declined', note: 'As is.', path: 'src/[a].ts', url, op: 'r1.round-2.R9' }],
    left: { pull: 130, remarks: [{ id: 'R8', result: 'fixed', path: 'src/login.ts' }] },
  });
  await expect(text).toMatchFileSnapshot(golden('round-answers-without-thread'));
});

test('V-4: a summary of many long answers is no longer than GitHub allows, and counts those it leaves out', () => {
  const { state } = afterRound();
  const [round] = state.revisions ?? [];
  if (!round) expect.fail('no round has ended');
  const to_reviews = Array.from({ length: 60 }, (_, index) => ({
    ...{ id: `R${index + 1}`, result: 'declined' as const, note: '|'.repeat(2_000), author: 'hubert' },
  }));
  const text = renderRoundSummary({ state, round, head: HEAD }, 'r1.round-2.summary', { to_reviews });
  expect(text.length).toBeLessThan(65_536);
  const shown = text.match(/^- Review by hubert/gm)?.length ?? 0;
  expect(shown).toBeGreaterThan(5);
  expect(text).toContain(`\n- ${60 - shown} remarks more\n`);
});

test('V-1, V-8: figures after a round count from the beginning of the run', () => {
  const { state } = afterRound();
  const text = renderPullRequest(state, WHERE, { commitOf });
  expect(text).toContain('| `npm test` | 3/5 | ✓ 5/5 |');
  // Of the build and of the round; the limits of turns and minutes are those of one round.
  expect(state.changes.paths).toEqual(['src/login.ts']);
  expect(text).toContain('| 2 | 0 min | 0 min | 2 | 2/20 |');
  const receipt = renderReceipt(state, WHERE);
  expect(receipt).toContain('5 of 5 tests pass, 3 did before.');
  expect(receipt).toContain('| Files | 2/20 |');
  expect(receipt).toContain('| Turns | 2 |');
  const status = renderStatus(state, WHERE);
  expect(status).toContain('3 did before the first change');
  expect(status).toMatch(/Baseline: the checks before any change \| 3\/5/);
});

test('V-6: a conflict is shown with a box, and only while the pull request rests', () => {
  const files = ['src/payments/intent.ts', 'package-lock.json'];
  const conflict = { branch: 'main', files };
  const text = renderPullRequest(afterRound().state, WHERE, { commitOf, conflict });
  expect(text).toContain(
    '- [ ] <!-- autobuild:option id=m.update --> **Update with `main`**: up to 2 files conflict (`src/payments/intent.ts` and `package-lock.json`); the agent resolves them, all checks run again. `/continue update`',
  );
  expect(renderPullRequest(inRound().state, WHERE, { commitOf, conflict })).not.toContain('m.update');
  const unknown = renderPullRequest(afterRound().state, WHERE, { conflict: { branch: 'trunk', files: [] } });
  expect(unknown).toContain('**Update with `trunk`**: there are conflicts; the agent resolves them');
});

test('V-3: a question about a file that a reviewer asked for names the remark, harmless', async () => {
  const run = inRound().beginTurn();
  const proposed = { path: 'docs/`a`.md', why: 'out_of_scope' as const, held: true };
  run.observe({ type: 'write_proposed', turn: 2, proposed, files: [], scope: ['src/**'] }).trip();
  const url = 'https://github.com/acme/storefront/pull/131#discussion_r1';
  const remarks = [
    { path: proposed.path, author: 'hubert', url },
    { path: proposed.path, author: '@everyone', url: 'javascript:alert(1)' },
  ];
  const text = renderEscalation(run.state, { ...run.asked, remarks }, WHERE);
  expect(text).toContain(
    `Reviewers commented here: [remark by hubert](${url}) on \`\`docs/\`a\`.md\`\` and remark by \`@everyone\``,
  );
  expect(text).not.toContain('javascript:');
  expect(text).not.toContain(' @everyone');
});
