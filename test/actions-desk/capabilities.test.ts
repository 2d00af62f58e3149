import { expect, test } from 'vitest';
import { capabilitiesOf } from '../../src/actions-desk/capabilities.ts';
import { renderAnswered } from '../../src/comments/github/render-answered.ts';
import { renderEscalation } from '../../src/comments/github/render-escalation.ts';
import { renderPullRequest } from '../../src/comments/github/render-pull-request.ts';
import { renderReminder } from '../../src/comments/github/render-reminder.ts';
import { renderStatus } from '../../src/comments/github/render-status.ts';
import type { CommentContext } from '../../src/core/contracts/comment-context.ts';
import { question, waiting } from '../comments/questions.ts';
import { run, WHERE } from '../comments/story.ts';

const { run_page: _, forms: __, ...links } = WHERE.links ?? {};
const HERE: CommentContext = { ...WHERE, links, capabilities: capabilitiesOf({ isKeyDerived: false }) };
const golden = (name: string) => `../golden/comments/no-server-${name}.md`;

test('N-4: a question asks for a secret by the one Actions secret, and says how long an answer takes', async () => {
  const asked = question('need_help');
  const markdown = renderEscalation(waiting('need_help'), asked, { ...HERE, op: `r4x9k2.${asked.id}` });
  expect(markdown).not.toMatch(/one-time form|run page|the agent is paused/);
  expect(markdown).toContain(
    '**I added them to the Actions secret `AUTOBUILD_ENV`**: check again. `/continue`',
  );
  const answered = renderAnswered(waiting('need_help'), { ...asked, status: 'resolved' }, HERE);
  expect(answered).toContain('Offered: I added them to the Actions secret `AUTOBUILD_ENV` · ');
  await expect(`${markdown}\n`).toMatchFileSnapshot(golden('question'));
});

test('N-4: the box of a question for one value speaks of one', () => {
  const options = question('need_help').options.map((option) =>
    option.id === 'continue' ? { ...option, label: 'I added it as an Actions secret' } : option,
  );
  const markdown = renderEscalation(waiting('need_help'), { ...question('need_help'), options }, HERE);
  expect(markdown).toContain(
    '**I added it to the Actions secret `AUTOBUILD_ENV`**: check again. `/continue`',
  );
});

test('N-4: a question about jobs offers nothing that is not here', () => {
  const asked = question('job_never_starts');
  const markdown = renderEscalation(waiting('job_never_starts'), asked, HERE);
  expect(markdown).not.toMatch(/run page|reminder \d|the agent is paused/);
  expect(markdown).toContain('an answer takes effect in about 2 minutes');
  expect(markdown).toContain('[Log of the last job](');
});

test('N-4: no reminder is announced where nobody is there to remind', () => {
  const asked = question('need_help');
  for (const text of [
    renderEscalation(waiting('need_help'), asked, HERE),
    renderStatus(waiting('need_help'), HERE),
    renderReminder(waiting('need_help'), asked, HERE),
  ])
    expect(text).not.toMatch(/reminder \d|next reminder/);
});

test('N-4: the status says what steering does here, and what a missing key means for as long as it matters', async () => {
  const state = run();
  const remarked = { ...HERE, capabilities: capabilitiesOf({ isKeyDerived: true }) };
  await expect(`${renderStatus(state, remarked)}\n`).toMatchFileSnapshot(golden('status'));
  expect(renderStatus(state, HERE)).not.toContain('AUTOBUILD_KEY');
  const over = { ...state, status: 'cancelled' as const };
  expect(renderStatus(over, remarked)).not.toContain('AUTOBUILD_KEY');
});

test('N-4: GitHub holds CI back itself, so the pull request has no box for it', async () => {
  const state = { ...run(), status: 'reviewing' as const };
  const markdown = renderPullRequest(state, HERE, { ci: 'approval' });
  expect(markdown).not.toContain('- [ ]');
  // Nobody asks GitHub whether there is any: that would be a call for each description.
  expect(markdown).toContain('**If this repository has CI, it waits for your approval:**');
  await expect(`${markdown}\n`).toMatchFileSnapshot(golden('pull-request'));
});

test('N-4: a workflow file that waits for approval is said to be one that GitHub does not let Actions commit', () => {
  const render = (where: CommentContext) =>
    renderEscalation(waiting('finished_unapproved'), question('finished_unapproved'), where);
  expect(render(HERE)).toContain('GitHub does not let Actions commit one: add it yourself');
  expect(render(HERE)).not.toContain('the App');
  expect(render(WHERE)).toContain('the App needs `workflows: write`');
});
