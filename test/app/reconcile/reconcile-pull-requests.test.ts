import { afterEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { actAndSettle, type Published, publishRun } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const QUARTER_MS = 15 * 60_000;

async function publishLosing(): Promise<Published> {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  desk.loseWebhooks(true);
  return work;
}

test('R-1: commands on the pull request whose webhooks were lost are found: comment and review, each once', async () => {
  const work = await publishLosing();
  const { number } = await work.pull();
  const comment = await desk.olivia.comment(number, '/provide colour=red');
  await desk.reconcile();
  expect((await desk.state()).status).toBe('building');
  expect(desk.github.reactions.of(comment.id).map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  const review = await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(number, 'COMMENT', '/guide Like this'),
  );
  await desk.reconcile();
  await desk.reconcile();
  const { guidance } = await desk.state();
  expect(guidance.filter((text) => text.includes('Like this'))).toHaveLength(1);
  expect(desk.github.reviewReactions.get(review.node_id)).toEqual(['eyes', 'rocket']);
});

test('R-14: a pull request where nothing happened costs no call', async () => {
  const work = await publishLosing();
  await desk.reconcile();
  // Past the time in which something could have been written unseen.
  desk.clock.ms += 11 * 60_000;
  await desk.reconcile();
  desk.exchanges.length = 0;
  await desk.reconcile();
  const { number } = await work.pull();
  const asked = desk.exchanges
    .filter(({ call }) => call.caller.kind === 'installation')
    .map(({ call, answer }) => `${call.path} ${answer.status}`);
  const about = asked.filter((path) => path.includes(`/${number} `) && !path.includes('/issues/comments/'));
  expect(about).toEqual([]);
  expect(asked).toContain('/repos/olivia/shop/pulls 304');
});

test('R-1: a lost tick of Run CI is found, and is that of whoever edited last', async () => {
  const work = await publishLosing();
  await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
  await desk.reconcile();
  expect(await work.messages()).toEqual([expect.not.stringContaining('[skip ci]')]);
  expect((await work.pull()).body).toContain('requested by walter');
  const head = await work.head();
  await desk.reconcile();
  expect(await work.head()).toBe(head);
});

test('R-1: a lost tick nobody can be named for is asked for again', async () => {
  const work = await publishLosing();
  const { number, body, head } = await work.pull();
  await desk.github.upstream('PATCH', `/repos/olivia/shop/pulls/${number}`, {
    body: body.replace('- [ ]', '- [x]'),
  });
  await desk.reconcile();
  expect(await work.head()).toBe(head.sha);
  expect((await work.pull()).body).toBe(body);
  const said = (await desk.olivia.comments(number)).map((comment) => comment.body).join();
  expect(said).toContain('GitHub does not say by whom');
});

test('R-1: after its end a run is looked at now and then: Run CI, and what became of the pull request', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  await desk.reconcile();
  desk.loseWebhooks(true);
  await actAndSettle(desk, 'pull_request', async () => desk.olivia.tickRunCi(await work.pull()));
  await desk.reconcile();
  expect(await work.messages()).toEqual([expect.stringContaining('[skip ci]')]);
  desk.clock.ms += QUARTER_MS;
  await desk.reconcile();
  expect(await work.messages()).toEqual([expect.not.stringContaining('[skip ci]')]);
  await actAndSettle(desk, 'pull_request', async () => desk.olivia.merge((await work.pull()).number));
  desk.clock.ms += QUARTER_MS;
  await desk.reconcile();
  expect((await desk.state()).status).toBe('approved');
});
