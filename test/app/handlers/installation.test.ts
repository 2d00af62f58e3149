import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

const WALTER = { login: 'walter', type: 'User' } as const;
const HERE = { installation: { id: 100 }, sender: WALTER };

let desk: AppDesk;
let issue: number;
beforeEach(async () => {
  desk = await openAppDesk();
  ({ issue } = await desk.seed(askingRun(['colour'])));
});
afterEach(() => desk.close());

/** GitHub after the App was sent away. */
function shutOut(how: 'gone' | 'suspended'): void {
  const answer = how === 'gone' ? refuse(404, 'Not Found') : refuse(403, 'This installation was suspended');
  desk.interfere(({ caller, path }) => {
    if (path === '/app/installations') {
      const listed = [{ id: 100, suspended_at: '2026-11-16T10:00:00Z' }];
      return { status: 200, body: how === 'gone' ? [] : listed };
    }
    return caller.kind === 'installation' || path.endsWith('/access_tokens') ? answer : undefined;
  });
}

const writes = () =>
  desk.exchanges.filter(({ call }) => call.caller.kind === 'installation' && call.method !== 'GET');
const ours = async (kind: string) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => body.includes(`:${kind} `));

test.each([
  ['installation.deleted', 'gone', 'the App was uninstalled'],
  ['installation.suspend', 'suspended', 'the App was suspended'],
] as const)('%s ends the runs there, and nothing is tried for hours', async (event, how, because) => {
  shutOut(how);
  await desk.receive('installation', webhookPayload(event, HERE));
  const state = await desk.state();
  expect(state).toMatchObject({ status: 'cancelled', finished: { by: 'walter' } });
  expect(state.finished?.reason).toBe(`cancelled by walter: ${because}`);
  await desk.settle();
  expect(await desk.store.outbox.size()).toMatchObject({ waiting: 0, busy: 0 });
  const buried = await desk.store.outbox.buried(20);
  expect(buried.length).toBeGreaterThan(0);
  for (const { error } of buried) expect(error).toContain(`Nothing can be written: ${because} `);
  const line = desk
    .logged()
    .split('\n')
    .find((text) => text.includes('given up'));
  expect(line).toContain('olivia/shop');
});

test('another installation’s end is no business of this run', async () => {
  await desk.receive('installation', webhookPayload('installation.deleted', { sender: WALTER }));
  expect((await desk.state()).status).toBe('waiting_for_input');
});

test('installation.unsuspend: what could not be written is written', async () => {
  shutOut('suspended');
  await desk.receive('installation', webhookPayload('installation.suspend', HERE));
  await desk.settle();
  expect(await ours('receipt')).toEqual([]);
  desk.interfere(() => undefined);
  await desk.receive('installation', webhookPayload('installation.unsuspend', HERE));
  await desk.settle();
  expect(await ours('receipt')).toHaveLength(1);
  expect((await ours('status'))[0]?.body).toContain('Cancelled by walter');
  expect(await desk.store.outbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
});

test('installation_repositories.removed ends the runs of these repositories and of no other', async () => {
  const place = await desk.store.runs.place('r1');
  const removed = (id: number) =>
    webhookPayload('installation_repositories.removed', {
      ...HERE,
      repositories_removed: [{ id, node_id: 'R_1', name: 'shop', full_name: 'olivia/shop', private: false }],
    });
  await desk.receive('installation_repositories', removed(4));
  expect((await desk.state()).status).toBe('waiting_for_input');
  await desk.receive('installation_repositories', removed(place?.repo_id ?? 0));
  expect((await desk.state()).finished?.reason).toBe(
    'cancelled by walter: the App was removed from the repository',
  );
});

test.each(['installation.created', 'installation_repositories.added'] as const)(
  '%s writes nothing anywhere',
  async (event) => {
    const before = writes().length;
    await desk.receive(event.split('.')[0] ?? '', webhookPayload(event, HERE));
    await desk.settle();
    expect(writes()).toHaveLength(before);
    expect(desk.logged()).toContain('the App was installed');
  },
);

test('installation.new_permissions_accepted: what was refused for want of them is done', async () => {
  const isReceipt = ({ method, body }: Call) => method === 'POST' && String(body.body).includes(':receipt ');
  const accepted = { 'x-accepted-github-permissions': 'issues=write' };
  desk.interfere((call) =>
    isReceipt(call)
      ? { ...refuse(403, 'Resource not accessible by integration'), headers: accepted }
      : undefined,
  );
  await desk.olivia.comment(issue, '/cancel');
  for (let time = 0; time < 4; time += 1) {
    await desk.settle();
    desk.clock.ms += 60_000;
  }
  expect(await desk.store.outbox.size()).toMatchObject({ waiting: 0, buried: 1 });
  desk.interfere(() => undefined);
  await desk.receive('installation', webhookPayload('installation.new_permissions_accepted', HERE));
  await desk.settle();
  expect(await ours('receipt')).toHaveLength(1);
});

test.each(['gone', 'suspended'] as const)('reconcile notices by itself that the App is %s', async (how) => {
  shutOut(how);
  await desk.reconcile();
  expect((await desk.state()).finished?.reason).toMatch(
    /^cancelled by someone: the App was (uninstalled|suspended) (from|for) olivia\/shop$/,
  );
});
