import { afterEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { actAndSettle, type Published, publishRun, putChangeset } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

/** Merged as it is: people need not wait until the run says that it is done. */
async function merge(work: Published): Promise<void> {
  const { number } = await work.pull();
  await desk.github.upstream('PATCH', `/repos/olivia/shop/pulls/${number}`, { draft: false });
  await desk.settle();
  await actAndSettle(desk, 'pull_request', () => desk.olivia.merge(number));
}

const commentOf = async (issue: number, kind: string) =>
  (await desk.olivia.comments(issue)).find(({ body }) => body.includes(`<!-- autobuild:${kind} `))?.body;

test('C-6: merged while it waits, a run ends: the question is closed, and nothing is asked any more', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await merge(work);
  const state = await desk.state();
  expect(state).toMatchObject({ status: 'approved', finished: { partial: true, by: 'olivia' } });
  expect(state.pending).toBeUndefined();
  expect(state.escalations[0]?.status).toBe('resolved_with_termination');
  const question = await commentOf(work.issue, 'escalation');
  expect(question).toContain('### ✓ Closed: the pull request was merged by olivia');
  expect(question).toContain('merged the pull request, which ended the run');
  expect(question).not.toContain('- [');
  for (const kind of ['status', 'receipt'])
    expect(await commentOf(work.issue, kind)).toContain('### ✓ Partially done: merged');
  expect(await desk.olivia.labels(work.issue)).toContain('autobuild:done');
  desk.clock.ms += 30 * 24 * 3_600_000;
  await desk.reconcile();
  expect(await commentOf(work.issue, 'reminder')).toBeUndefined();
  const jobs = desk.github.workflows.runs.length;
  await desk.olivia.comment(work.issue, '/continue');
  await desk.settle();
  expect((await desk.state()).status).toBe('approved');
  expect(desk.github.workflows.runs).toHaveLength(jobs);
});

test('C-6: merged while it works, a run ends, and a job that comes for it finds nothing to do', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await desk.olivia.comment(work.issue, '/provide colour=red');
  await desk.settle();
  expect((await desk.state()).status).toBe('building');
  await merge(work);
  expect(await desk.state()).toMatchObject({ status: 'approved', job_live: false });
  expect(await desk.store.runs.inPhase('working', 'waiting')).toEqual([]);
});

test('C-6: paused, then merged without our hearing of it: it is found, once', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await desk.olivia.comment(work.issue, '/pause');
  await desk.settle();
  desk.loseWebhooks(true);
  await merge(work);
  expect((await desk.state()).status).toBe('waiting_for_input');
  await desk.reconcile();
  await desk.reconcile();
  expect((await desk.state()).status).toBe('approved');
  const receipts = (await desk.olivia.comments(work.issue)).filter(({ body }) => body.includes(':receipt '));
  expect(receipts).toHaveLength(1);
});

const close = (login: string, number: number) =>
  actAndSettle(desk, 'pull_request', () => desk.person(login).closePullRequest(number));

const reopen = (number: number) =>
  actAndSettle(desk, 'pull_request', () => desk.olivia.reopenPullRequest(number));

/** The question is answered, and a job would work. */
async function publishWorking(): Promise<Published> {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await desk.olivia.comment(work.issue, '/provide colour=red');
  await desk.settle();
  expect((await desk.state()).status).toBe('building');
  return work;
}

/** What a job's parking leads to. */
async function publishMore(text: string): Promise<void> {
  await putChangeset(desk, text);
  const effect = { type: 'publish', ready: false } as const;
  await desk.perform(effect, { id: `more.${text}` });
  await desk.settle();
}

const pullRequests = async () =>
  (await desk.olivia.pullRequests()).map(({ number, state }) => `${number} ${state}`).toSorted();

test('C-6: closed unmerged while it works, a run is paused; /continue goes on with a new pull request', async () => {
  const work = await publishWorking();
  const { number } = await work.pull();
  const head = await work.head();
  await close('walter', number);
  expect(await desk.state()).toMatchObject({ status: 'waiting_for_input', paused: { rearm: [] } });
  const status = await commentOf(work.issue, 'status');
  expect(status).toContain('### ⏸ Waiting for you: the pull request was closed by walter');
  expect(status).toContain(
    'Resume with `/continue` (opens a new pull request), or end the run with `/cancel`.',
  );
  expect(status).not.toContain(`#${number}`);
  const told = (await desk.olivia.comments(work.issue)).at(-1)?.body;
  expect(told).toContain('Paused: the pull request was closed by walter.');
  expect(told).toContain('`/continue` continues with a new pull request, `/cancel` ends the run.');
  expect(await work.check()).toMatchObject({ conclusion: 'action_required' });
  // The job saves its work and parks: nothing is opened behind their back, and the closed one can be reopened as it was.
  await publishMore('two\n');
  expect(await pullRequests()).toEqual([`${number} closed`]);
  expect(await work.head()).toBe(head);

  await desk.olivia.comment(work.issue, '/continue');
  await desk.settle();
  expect(await commentOf(work.issue, 'status')).not.toContain(`#${number}`);
  await publishMore('two\n');
  const second = await work.pull();
  expect(second).toMatchObject({ state: 'open', draft: true });
  expect(await pullRequests()).toEqual([`${number} closed`, `${second.number} open`]);
  await desk.olivia.comment(work.issue, '/pause');
  await desk.settle();
  const paused = await commentOf(work.issue, 'status');
  expect(paused).toContain(`Draft pull request #${second.number}`);
  expect(paused).toContain('⏸ Paused: resume with `/continue`');
});

test('C-6: closed unmerged while it waits, the question stays; accepted, the work is in a new pull request', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number } = await work.pull();
  await close('olivia', number);
  expect((await desk.state()).pending).toBe('e1');
  const status = await commentOf(work.issue, 'status');
  expect(status).toContain(
    'Also, the pull request was closed by olivia: your answer continues with a new pull request, `/cancel` ends the run.',
  );
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  const second = await work.pull();
  expect(second).toMatchObject({ state: 'open', draft: false });
  for (const kind of ['status', 'receipt']) {
    const said = await commentOf(work.issue, kind);
    expect(said).toContain(`pull request #${second.number} is ready for your review`);
    expect(said).not.toContain(`#${number}`);
  }
  // Of the old one nothing more is heard; the new one's fate is the run's.
  await reopen(number);
  await close('olivia', number);
  expect((await desk.state()).status).toBe('reviewing');
  await close('olivia', second.number);
  expect((await desk.state()).status).toBe('rejected');
});

test('C-6: closed, then cancelled: nothing names it as a draft that is still there', async () => {
  const work = await publishWorking();
  const { number } = await work.pull();
  await close('olivia', number);
  await desk.olivia.comment(number, '/cancel');
  await desk.settle();
  expect((await desk.state()).status).toBe('cancelled');
  for (const kind of ['status', 'receipt'])
    expect(await commentOf(work.issue, kind)).not.toContain(`#${number}`);
  expect(await pullRequests()).toEqual([`${number} closed`]);
});

test('C-6: closed and opened again without our hearing of it: both are found, and it is used again', async () => {
  const work = await publishWorking();
  const { number } = await work.pull();
  desk.loseWebhooks(true);
  await close('walter', number);
  expect((await desk.state()).status).toBe('building');
  await desk.reconcile();
  await desk.reconcile();
  expect((await desk.state()).closed_pull).toEqual({ number, by: 'walter' });
  const replies = (await desk.olivia.comments(work.issue)).filter(({ body }) =>
    body.includes('was closed by'),
  );
  // The status, and one that people are told by.
  expect(replies).toHaveLength(2);
  await reopen(number);
  await desk.reconcile();
  const status = await commentOf(work.issue, 'status');
  expect(status).toContain('⏸ Paused: resume with `/continue`');
  expect(status).toContain(`Draft pull request #${number}`);
  await desk.olivia.comment(number, '/continue');
  await desk.reconcile();
  expect((await desk.state()).status).toBe('building');
  await publishMore('two\n');
  expect(await pullRequests()).toEqual([`${number} open`]);
  expect(await desk.olivia.file('src/login.ts', `autobuild/issue-${work.issue}`)).toBe('two\n');
  await close('walter', number);
  await desk.reconcile();
  expect((await desk.state()).closed_pull).toEqual({ number, by: 'walter' });
});

test('C-6: /continue on a closed pull request whose webhooks are lost is found there', async () => {
  const work = await publishWorking();
  const { number } = await work.pull();
  await close('walter', number);
  expect((await desk.state()).paused).toBeDefined();
  desk.loseWebhooks(true);
  await desk.olivia.comment(number, '/continue');
  await desk.reconcile();
  expect((await desk.state()).status).toBe('building');
});

test('C-6: a close nobody told of is seen before work is put on top of it', async () => {
  const work = await publishWorking();
  const { number } = await work.pull();
  const head = await work.head();
  desk.loseWebhooks(true);
  await close('walter', number);
  await publishMore('two\n');
  expect(await desk.state()).toMatchObject({ status: 'waiting_for_input', closed_pull: { by: 'walter' } });
  expect(await work.head()).toBe(head);
  expect(await pullRequests()).toEqual([`${number} closed`]);
});

test('C-6: a close nobody told of before the run was done: rejected, and not called ready', async () => {
  const work = await publishWorking();
  const { number } = await work.pull();
  desk.loseWebhooks(true);
  await close('walter', number);
  desk.loseWebhooks(false);
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  expect((await desk.state()).status).toBe('rejected');
  for (const kind of ['status', 'receipt'])
    expect(await commentOf(work.issue, kind)).toContain('### ✗ Closed without merging');
});

test('C-6: closed with its branch, which is made again for the new pull request', async () => {
  const work = await publishWorking();
  const { number } = await work.pull();
  await close('olivia', number);
  const ref = `autobuild/issue-${work.issue}`;
  await desk.github.upstream('DELETE', `/repos/olivia/shop/git/refs/heads/${ref}`);
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  expect(await work.pull()).toMatchObject({ state: 'open', draft: false });
  expect(await desk.olivia.file('src/login.ts', ref)).toBe('one\n');
});

test('C-6: word of a close that comes after it was opened again changes nothing', async () => {
  const work = await publishWorking();
  const { number } = await work.pull();
  desk.loseWebhooks(true);
  await close('walter', number);
  const late = desk.github.webhooks.deliveries.findLast(({ event }) => event === 'pull_request');
  await reopen(number);
  desk.loseWebhooks(false);
  expect(late?.payload).toMatchObject({ action: 'closed' });
  await desk.receive('pull_request', late?.payload as object, late?.id);
  await desk.settle();
  expect((await desk.state()).status).toBe('building');
});

test('C-6: opened again before /continue: the run stays paused, and goes on in the same pull request', async () => {
  const work = await publishWorking();
  const { number } = await work.pull();
  await close('walter', number);
  await reopen(number);
  const state = await desk.state();
  expect(state.paused).toBeDefined();
  expect(state.closed_pull).toBeUndefined();
  expect(await commentOf(work.issue, 'status')).toContain(`Draft pull request #${number}`);
  await desk.olivia.comment(work.issue, '/continue');
  await desk.settle();
  await publishMore('two\n');
  expect(await pullRequests()).toEqual([`${number} open`]);
});

test.each([
  ['a squash with the messages of all commits', 'Add a login page\n\nFor #1.\n\n[skip ci]', 1],
  ['a squash with a message of their own', 'Add a login page', 0],
])('%s: the pull request is told if CI did not run on the default branch', async (_, message, told) => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number } = await work.pull();
  await desk.github.upstream('PATCH', `/repos/olivia/shop/pulls/${number}`, { draft: false });
  await desk.settle();
  await actAndSettle(desk, 'pull_request', () =>
    desk.github.callAs('olivia', 'PUT', `/repos/olivia/shop/pulls/${number}/merge`, {
      merge_method: 'squash',
      commit_message: message,
    }),
  );
  const closed = desk.github.webhooks.deliveries.findLast(({ payload }) => payload.action === 'closed');
  if (!closed) expect.fail('nothing was closed');
  desk.github.webhooks.emit(closed.event, closed.payload);
  await desk.settle();
  const warnings = (await desk.olivia.comments(number)).filter(({ body }) =>
    body.includes('CI did not run on `main` for this merge'),
  );
  expect(warnings).toHaveLength(told);
  expect(warnings.map(({ body }) => body).join()).not.toMatch(/\[skip ci\]/);
  expect((await desk.state()).status).toBe('approved');
});
