import { afterEach, expect, test } from 'vitest';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { publishRun } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

async function label(number: number, name: string, type = 'User', id?: string): Promise<void> {
  const { repo_id = 0 } = (await desk.store.runs.target('r1')) ?? {};
  const payload = webhookPayload('pull_request.labeled', {
    label: { name },
    pull_request: { number },
    repository: { id: repo_id, name: 'shop', owner: { login: 'olivia' } },
    sender: { login: 'walter', type: type as 'User' },
  });
  await desk.receive('pull_request', payload, id);
  await desk.settle();
}

test('C-6: each label on a pull request is answered once, and starts nothing', async () => {
  desk = await openAppDesk();
  const { number } = await (await publishRun(desk)).pull();
  await label(number, 'bug');
  await label(number, 'autobuild', 'Bot');
  const notices = async () =>
    (await desk.olivia.comments(number)).filter(({ body }) => body.includes('Not started'));
  expect(await notices()).toEqual([]);
  for (let time = 0; time < 2; time += 1) await label(number, 'Autobuild', 'User', 'first');
  const [notice, ...more] = await notices();
  expect(more).toEqual([]);
  expect(notice?.body).toContain('this is a pull request, and only issues can be built');
  expect(notice?.body).toContain('@walter, please take a look (you set the label).');
  await label(number, 'autobuild', 'User', 'second');
  expect(await notices()).toHaveLength(2);
  expect(await desk.store.runs.list(10)).toEqual(['r1']);
});
