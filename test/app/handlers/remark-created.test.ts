import { afterEach, expect, test } from 'vitest';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { publishRun } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

async function remark(number: number, body: string, login = 'walter'): Promise<void> {
  const { repo_id = 0 } = (await desk.store.runs.target('r1')) ?? {};
  const payload = webhookPayload('pull_request_review_comment.created', {
    comment: { body },
    pull_request: { number },
    repository: { id: repo_id, name: 'shop', owner: { login: 'olivia' } },
    sender: { login, type: 'User' },
  });
  await desk.receive('pull_request_review_comment', payload);
  await desk.settle();
}

test('C-6: a command in a remark on a line does nothing, and its author is told once where to write it', async () => {
  desk = await openAppDesk();
  const { number } = await (await publishRun(desk)).pull();
  const told = async () =>
    (await desk.olivia.comments(number)).filter(({ body }) => body.includes('line comments'));
  await remark(number, 'Why not a constant?');
  expect(await told()).toEqual([]);
  await remark(number, '/provide colour=S3CRETvalue99');
  await remark(number, '/cancel');
  expect(await told()).toHaveLength(1);
  expect((await told())[0]?.body).not.toContain('S3CRET');
  expect((await desk.state()).status).toBe('waiting_for_input');
  await remark(number + 100, '/cancel');
  expect(await told()).toHaveLength(1);
});
