import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refuse } from '../../../src/sandbox/github/gap.ts';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
let issue: number;
beforeEach(async () => {
  desk = await openAppDesk();
  ({ issue } = await desk.seed(askingRun(['colour', 'size'])));
});
afterEach(() => desk.close());

const bodies = async (kind: string) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => body.includes(`:${kind} `));

async function happened(event: 'issues.deleted' | 'issues.transferred' | 'issues.locked', type = 'User') {
  const target = await desk.store.runs.target('r1');
  const payload = webhookPayload(event, {
    issue: { number: issue },
    repository: { id: target?.repo_id ?? 0 },
    sender: { login: 'walter', type: type as 'User' },
  });
  await desk.receive('issues', payload);
  await desk.settle();
}

test.each(['issues.deleted', 'issues.transferred', 'issues.locked'] as const)(
  'C-6: %s in the middle of a run cancels it',
  async (event) => {
    await happened(event);
    const state = await desk.state();
    expect(state).toMatchObject({ status: 'cancelled', finished: { by: 'walter' } });
    expect(state.escalations[0]?.responses).toMatchObject([{ command: { name: 'cancel' }, via: 'github' }]);
    expect(await desk.waysOfCommands()).toEqual(['github']);
  },
);

test('C-6: a close by somebody who may not cancel pauses the run', async () => {
  await desk.olivia.comment(issue, '/provide colour=red size=2');
  await desk.settle();
  await desk.person('tina').closeIssue(issue);
  await desk.settle();
  expect((await desk.state()).paused).toBeDefined();
  const comments = await desk.olivia.comments(issue);
  expect(comments.at(-1)?.body).toContain('Paused: the issue was closed by tina.');
  expect(await desk.waysOfCommands()).toEqual(['comment', 'github']);
});

test('C-6: such a close is the same when reconcile finds it, and a /continue after it stands', async () => {
  await desk.olivia.comment(issue, '/provide colour=red size=2');
  await desk.settle();
  desk.loseWebhooks(true);
  await desk.person('tina').closeIssue(issue);
  await desk.settle();
  desk.loseWebhooks(false);
  for (let time = 0; time < 2; time += 1) await desk.reconcile();
  expect(await desk.state()).toMatchObject({ status: 'waiting_for_input', paused: expect.anything() });
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  for (let time = 0; time < 2; time += 1) await desk.reconcile();
  expect((await desk.state()).status).toBe('building');
});

test('C-6: each such close pauses the run, also the second one of the same person', async () => {
  await desk.olivia.comment(issue, '/provide colour=red size=2');
  const tina = desk.person('tina');
  for (const isHeard of [true, false]) {
    await desk.settle();
    desk.loseWebhooks(!isHeard);
    await tina.closeIssue(issue);
    await desk.settle();
    desk.loseWebhooks(false);
    desk.clock.ms += 60_000;
    await desk.reconcile();
    expect((await desk.state()).paused).toBeDefined();
    await desk.github.callAs('olivia', 'PATCH', `/repos/olivia/shop/issues/${issue}`, { state: 'open' });
    await desk.olivia.comment(issue, '/continue');
    await desk.settle();
    expect((await desk.state()).paused).toBeUndefined();
    // GitHub's times are whole seconds.
    await setTimeout(1_000);
  }
  const comments = await desk.olivia.comments(issue);
  expect(comments.filter(({ body }) => body.includes('Paused: the issue was closed by tina.'))).toHaveLength(
    2,
  );
});

test.each(['heard', 'found'])(
  'C-6: such a close answers no open question; it is told once, and an answer after it stands (%s)',
  async (how) => {
    desk.loseWebhooks(how === 'found');
    await desk.person('tina').closeIssue(issue);
    await desk.settle();
    desk.loseWebhooks(false);
    await desk.reconcile();
    const told = async () =>
      (await bodies('reply')).filter(({ body }) => body.includes('though the issue was closed by tina'));
    expect(await told()).toHaveLength(1);
    expect((await desk.state()).pending).toBeDefined();
    await desk.olivia.comment(issue, '/provide colour=red size=2');
    await desk.settle();
    for (let time = 0; time < 2; time += 1) {
      desk.clock.ms += 60_000;
      await desk.reconcile();
    }
    expect((await desk.state()).status).toBe('building');
    expect(await told()).toHaveLength(1);
  },
);

test('C-6: such a close of a paused run is told once, and a /continue after it stands', async () => {
  await desk.olivia.comment(issue, '/pause');
  await desk.settle();
  await desk.person('tina').closeIssue(issue);
  await desk.settle();
  await desk.reconcile();
  expect((await bodies('reply')).at(-1)?.body).toContain(
    'The run stays paused: the issue was closed by tina.',
  );
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  await desk.reconcile();
  expect((await desk.state()).status).toBe('building');
});

test('R-3: a desk that is killed after any write of such a close leaves no pause that nobody was told of', async () => {
  await desk.olivia.comment(issue, '/provide colour=red size=2');
  await desk.settle();
  desk.loseWebhooks(true);
  await desk.person('tina').closeIssue(issue);
  await desk.settle();
  const { runs } = desk.store;
  const { commit } = runs;
  let isPaused = false;
  runs.commit = async (run, version, decided) => {
    if (isPaused) throw new Error('killed');
    isPaused = decided.events.some(({ type }) => type === 'run_paused');
    return commit(run, version, decided);
  };
  await desk.reconcile();
  runs.commit = commit;
  desk.clock.ms += 60_000;
  await desk.reconcile();
  const comments = await desk.olivia.comments(issue);
  expect(comments.filter(({ body }) => body.includes('Paused: the issue was closed by tina.'))).toHaveLength(
    1,
  );
});

test('C-6: another App that locks the issue cancels as a person does', async () => {
  await happened('issues.locked', 'Bot');
  expect(await desk.state()).toMatchObject({ status: 'cancelled', finished: { by: 'walter' } });
  expect(await desk.waysOfCommands()).toEqual(['autobuild']);
});

test('C-6: what this App itself does to the issue cancels nothing, told or found', async () => {
  const github = await desk.deps.github({ installation_id: 100, owner: 'olivia', repo: 'shop' });
  desk.loseWebhooks(true);
  await github.removeLabel(issue, 'autobuild');
  await desk.settle();
  desk.loseWebhooks(false);
  const told = desk.github.webhooks.deliveries.findLast(({ action }) => action === 'unlabeled');
  expect(told?.payload.sender).toMatchObject({ type: 'Bot' });
  await desk.receive('issues', told?.payload ?? {});
  await desk.settle();
  expect((await desk.state()).status).toBe('waiting_for_input');
  await desk.reconcile();
  expect((await desk.state()).status).toBe('waiting_for_input');
});

test.each([404, 410])('nothing is written for hours to an issue that is gone (%i)', async (status) => {
  desk.interfere(({ path, caller }) =>
    caller.kind === 'installation' && /\/issues\//.test(path) ? refuse(status, 'Gone') : undefined,
  );
  await happened('issues.deleted');
  expect((await desk.state()).status).toBe('cancelled');
  desk.clock.ms += 21_000;
  await desk.settle();
  expect(await desk.store.outbox.size()).toMatchObject({ waiting: 0, busy: 0 });
});

test('a locked issue that takes no comments: they are tried for some hours, then set aside', async () => {
  desk.interfere(({ path, method, caller }) =>
    caller.kind === 'installation' && method !== 'GET' && /\/issues\//.test(path)
      ? refuse(403, 'Unable to create comment because issue is locked.')
      : undefined,
  );
  await happened('issues.locked');
  for (let time = 0; time < 30; time += 1) {
    desk.clock.ms += 10_000;
    await desk.settle();
  }
  const { waiting } = await desk.store.outbox.size();
  expect(waiting).toBeGreaterThan(1);
  for (let time = 0; time < 30; time += 1) {
    desk.clock.ms += 600_000;
    await desk.settle();
  }
  expect(await desk.store.outbox.size()).toMatchObject({ waiting: 0, busy: 0 });
  expect((await desk.state()).status).toBe('cancelled');
});

test('our question deleted by somebody: the next change writes it anew, and it can be answered', async () => {
  const [question] = await bodies('escalation');
  await desk.github.callAs('olivia', 'DELETE', `/repos/olivia/shop/issues/comments/${question?.id}`);
  await desk.olivia.comment(issue, '/provide colour=red');
  await desk.settle();
  const [again, ...more] = await bodies('escalation');
  expect(more).toEqual([]);
  expect(again?.id).not.toBe(question?.id);
  expect(again?.body).toContain('1 of 2 given');
  if (again) await desk.olivia.tick(again, 'skip');
  await desk.settle();
  expect((await desk.state()).pending).toBeUndefined();
  expect((await bodies('escalation'))[0]?.body).toContain('Answered');
});

test('our question deleted and answered: the run goes on', async () => {
  const [question] = await bodies('escalation');
  await desk.github.callAs('olivia', 'DELETE', `/repos/olivia/shop/issues/comments/${question?.id}`);
  await desk.olivia.comment(issue, '/provide colour=red size=2');
  await desk.settle();
  expect((await desk.state()).status).toBe('building');
  expect(await desk.store.outbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
});

test('the status comment deleted by somebody comes again', async () => {
  const [status] = await bodies('status');
  await desk.github.callAs('olivia', 'DELETE', `/repos/olivia/shop/issues/comments/${status?.id}`);
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  const after = await bodies('status');
  expect(after).toHaveLength(1);
  expect(after[0]?.body).toContain('Cancelled');
});
