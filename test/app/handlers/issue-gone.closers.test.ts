import { afterEach, beforeEach, expect, test } from 'vitest';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
let issue: number;
beforeEach(async () => {
  desk = await openAppDesk();
  ({ issue } = await desk.seed(askingRun(['colour'])));
  await desk.olivia.comment(issue, '/provide colour=red');
  await desk.settle();
});
afterEach(() => desk.close());

/** What GitHub's list of the issue's events has after the label, while it lags behind or names somebody else. */
function listEvents(...events: object[]): void {
  const created_at = new Date(desk.clock.ms).toISOString();
  const body = events.map((event, index) => ({ id: 9_000_000 + index, created_at, ...event }));
  desk.interfere(({ method, path }) =>
    method === 'GET' && path.endsWith(`/issues/${issue}/events`) ? { status: 200, body } : undefined,
  );
}

async function unheard(work: () => Promise<void>): Promise<void> {
  desk.loseWebhooks(true);
  await work();
  await desk.settle();
  desk.loseWebhooks(false);
}

async function round(): Promise<void> {
  desk.clock.ms += 60_000;
  await desk.reconcile();
}

const told = async (by: string) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => body.includes(`the issue was closed by ${by}`));

async function fate(): Promise<'ended' | 'paused' | 'open'> {
  const { finished, paused } = await desk.state();
  return finished ? 'ended' : paused ? 'paused' : 'open';
}

const STALE = { login: 'stale[bot]', type: 'Bot' } as const;

test.each(['told', 'found'])('C-6: a close by a bot pauses the run (%s)', async (how) => {
  await unheard(() => desk.olivia.closeIssue(issue));
  if (how === 'told') {
    const { repo_id = 0 } = (await desk.store.runs.target('r1')) ?? {};
    const payload = webhookPayload('issues.locked', {
      issue: { number: issue },
      repository: { id: repo_id },
      sender: { login: STALE.login, type: STALE.type as 'User' },
    });
    await desk.receive('issues', { ...payload, action: 'closed' });
    await desk.settle();
  } else {
    listEvents({ event: 'closed', actor: STALE });
    await round();
  }
  expect(await fate()).toBe('paused');
  expect(await told('stale')).toHaveLength(1);
  expect((await told('stale'))[0]?.body).toContain('/cancel');
});

test('C-6: a closer whom GitHub does not tell yet is looked for in the next round, and cancels if they may', async () => {
  await unheard(() => desk.olivia.closeIssue(issue));
  listEvents();
  await round();
  expect(await fate()).toBe('open');
  desk.interfere(() => undefined);
  await round();
  expect((await desk.state()).finished).toMatchObject({ by: 'olivia' });
});

test('C-6: a closer who stays unknown pauses the run once, and a /continue after it stands', async () => {
  await unheard(() => desk.olivia.closeIssue(issue));
  listEvents();
  for (let time = 0; time < 2; time += 1) await round();
  expect(await fate()).toBe('paused');
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  // By now GitHub tells that it was somebody who may cancel.
  desk.interfere(() => undefined);
  for (let time = 0; time < 4; time += 1) await round();
  expect(await fate()).toBe('open');
  expect(await told('someone')).toHaveLength(1);
});

test('C-6: a closer whose account is gone pauses the run', async () => {
  await unheard(() => desk.olivia.closeIssue(issue));
  listEvents({ event: 'closed', actor: null });
  await round();
  expect((await desk.state()).paused).toBeDefined();
});

test('C-6: a close that paused the run does not cancel it when its closer is given the role', async () => {
  await unheard(() => desk.person('tina').closeIssue(issue));
  await round();
  expect((await desk.state()).paused).toBeDefined();
  listEvents({ event: 'closed', actor: { login: 'tina', type: 'User' } });
  const { github } = desk;
  await github.upstream('PUT', '/repos/olivia/shop/collaborators/tina', { permission: 'push' });
  for (let time = 0; time < 3; time += 1) await round();
  expect((await desk.state()).finished).toBeUndefined();
});

test('C-6: whoever took the label off is looked for twice, and our own removal cancels nothing', async () => {
  const { removeLabel } = await desk.deps.github({ installation_id: 100, owner: 'olivia', repo: 'shop' });
  await unheard(() => removeLabel(issue, 'autobuild'));
  listEvents();
  await round();
  desk.interfere(() => undefined);
  for (let time = 0; time < 3; time += 1) await round();
  expect((await desk.state()).finished).toBeUndefined();
});

test('C-6: a label that nobody is known to have taken off cancels all the same', async () => {
  await unheard(() => desk.olivia.unlabel(issue, 'autobuild'));
  listEvents();
  for (let time = 0; time < 2; time += 1) await round();
  expect((await desk.state()).finished).toMatchObject({ by: 'someone' });
});

test('C-6: an issue that nobody is known to have locked is looked at again, though its list did not change', async () => {
  await unheard(() =>
    desk.github.callAs('olivia', 'PUT', `/repos/olivia/shop/issues/${issue}/lock`).then(() => undefined),
  );
  listEvents();
  for (let time = 0; time < 2; time += 1) await round();
  expect((await desk.state()).finished).toMatchObject({ by: 'someone' });
});
