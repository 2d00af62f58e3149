import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { request } from '../../store/hosted/commits.ts';
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
  expect(await desk.waysOfCommands()).toEqual(['github']);
  await desk.settle();
  desk.clock.ms += 21_000;
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

test('R-3: one run that fails keeps no other from its end, and the webhook is tried again for it', async () => {
  const { runs } = desk.store;
  const { load } = runs;
  const target = (await runs.target('r1')) ?? expect.fail('no target');
  await runs.commit('broken', 0, { ...request('broken'), target: { ...target, issue: 9_999 } });
  await runs.commit('r2', 0, { ...request('r2'), target: { ...target, issue: 9_998 } });
  runs.load = (run) => (run === 'broken' ? Promise.reject(new Error('no such state')) : load(run));
  const deleted = webhookPayload('installation.deleted', HERE);
  await expect(desk.receive('installation', deleted, 'd1')).rejects.toThrow();
  for (const run of ['r1', 'r2']) expect((await desk.state(run)).status).toBe('cancelled');
  runs.load = load;
  await desk.receive('installation', deleted, 'd1');
  expect((await desk.state('broken')).status).toBe('cancelled');
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
  desk.clock.ms += 21_000;
  await desk.settle();
  expect(await desk.store.outbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
});

test('installation_repositories.removed ends the runs of these repositories and of no other', async () => {
  const target = await desk.store.runs.target('r1');
  const removed = (id: number) =>
    webhookPayload('installation_repositories.removed', {
      ...HERE,
      repositories_removed: [{ id, node_id: 'R_1', name: 'shop', full_name: 'olivia/shop', private: false }],
    });
  await desk.receive('installation_repositories', removed(4));
  expect((await desk.state()).status).toBe('waiting_for_input');
  await desk.receive('installation_repositories', removed(target?.repo_id ?? 0));
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
  for (let time = 0; time < 25; time += 1) {
    await desk.settle();
    desk.clock.ms += 600_000;
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

/** A webhook that was handled in vain, and given up. */
async function bury(id: string, payload: object): Promise<void> {
  const { inbox } = desk.store;
  const received_ms = desk.deps.now().getTime();
  await inbox.put([{ id, event: 'issue_comment', payload: JSON.stringify(payload), lane: id, received_ms }]);
  const item = await inbox.claim(60_000);
  if (item?.id !== id) throw new Error(`claimed ${item?.id}`);
  await inbox.bury(item, 'Resource not accessible by integration');
}

test('installation.new_permissions_accepted: a webhook that was given up there gets another chance', async () => {
  await bury('here', { installation: { id: 100 } });
  await bury('elsewhere', { installation: { id: 101 } });
  await bury('no JSON of ours', [null]);
  await desk.receive('installation', webhookPayload('installation.new_permissions_accepted', HERE));
  expect((await desk.store.inbox.buried(10)).map(({ id }) => id)).toEqual(['no JSON of ours', 'elsewhere']);
  expect(await desk.store.inbox.claim(1_000)).toMatchObject({ id: 'here' });
});

test('what was said before the run is not taken for an answer to it when its webhook gets another chance', async () => {
  const { requested_at } = await desk.state();
  const target = await desk.store.runs.target('r1');
  const said = (id: number, at: number) =>
    webhookPayload('issue_comment.created', {
      ...HERE,
      comment: { id, body: '/cancel', created_at: new Date(at).toISOString() },
      issue: { number: issue },
      repository: { id: target?.repo_id, name: 'shop', owner: { login: 'olivia' } },
    });
  const old = said(77_001, Date.parse(requested_at) - 1_000);
  await bury('old', old);
  await desk.receive('installation', webhookPayload('installation.new_permissions_accepted', HERE));
  await desk.receive('issue_comment', old, 'old');
  expect((await desk.state()).status).toBe('waiting_for_input');
  await desk.receive('issue_comment', said(77_002, desk.clock.ms), 'new');
  expect((await desk.state()).status).toBe('cancelled');
});
