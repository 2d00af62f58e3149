import { afterEach, expect, test } from 'vitest';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const MINUTE_MS = 60_000;
const commentOf = async (issue: number, kind: string) =>
  (await desk.olivia.comments(issue)).find(({ body }) => body.includes(`:${kind} `));

async function remove(id: number): Promise<void> {
  const gone = await desk.github.callAs('walter', 'DELETE', `/repos/olivia/shop/issues/comments/${id}`);
  expect(gone.status).toBe(204);
  const sender = { login: 'walter', type: 'User' as const };
  await desk.receive('issue_comment', webhookPayload('issue_comment.deleted', { comment: { id }, sender }));
  await desk.settle();
}

test('R-13: the status of a run at work comes back, also if somebody writes a comment in the same minute', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.begin();
  await desk.reconcile();
  const status = (await commentOf(issue, 'status')) ?? expect.fail('no status');
  await remove(status.id);
  await desk.olivia.comment(issue, 'I removed that noise.');
  await desk.settle();
  desk.clock.ms += MINUTE_MS;
  await desk.reconcile();
  expect((await commentOf(issue, 'status'))?.id).toBeGreaterThan(status.id);
});

test('R-13: a deleted question comes back, but not for whoever deletes it all day', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  desk.loseWebhooks(true);
  let restored = 0;
  for (let time = 0; time < 20; time += 1) {
    const question = await commentOf(issue, 'escalation');
    if (!question) break;
    restored += 1;
    await remove(question.id);
  }
  expect(restored).toBe(11);
});

test('a reply that somebody tidies away stays away', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  await desk.olivia.comment(issue, '/pauze');
  await desk.settle();
  const reply = (await commentOf(issue, 'reply')) ?? expect.fail('no reply');
  await remove(reply.id);
  expect(await commentOf(issue, 'reply')).toBeUndefined();
});

test('the end of a comment of somebody else changes nothing', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.begin();
  await desk.olivia.comment(issue, 'Nice.');
  const written = await desk.olivia.comments(issue);
  const theirs = written.find(({ body }) => body === 'Nice.') ?? expect.fail('no comment');
  await remove(theirs.id);
  expect(await desk.olivia.comments(issue)).toHaveLength(written.length - 1);
});
