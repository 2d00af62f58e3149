import { afterEach, expect, test } from 'vitest';
import { onCommentCreated } from '../../../src/app/handlers/comment-created.ts';
import { reconcileRun } from '../../../src/app/reconcile/reconcile-run.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { publishRun } from '../published-run.ts';
import { remarkUnseen, restOnPull } from '../revise-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const callsOfDesk = () =>
  desk.exchanges.filter(({ call }) => call.caller.kind === 'installation').map(({ call }) => call.path);

test('N-1: one run is compared with GitHub without the lists of its repository', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  desk.loseWebhooks(true);
  const { number } = await work.pull();
  await desk.olivia.comment(number, '/provide colour=red');
  desk.exchanges.length = 0;
  expect(await reconcileRun(desk.deps, 'r1')).toEqual([]);
  const lists = [
    '/repos/olivia/shop/issues',
    '/repos/olivia/shop/issues/comments',
    '/repos/olivia/shop/pulls',
  ];
  expect(callsOfDesk().filter((path) => lists.includes(path))).toEqual([]);
  expect((await desk.state()).status).toBe('building');
});

test('N-1: comments are handled in their order, and the one that the event told of as the event told it', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  desk.loseWebhooks(true);
  const first = await desk.olivia.comment(issue, '/guide First');
  const told = await desk.olivia.comment(issue, '/guide Second');
  // What the event holds counts, whatever somebody made of the comment since.
  await desk.person('walter').edit(told, '/cancel');
  const { deps } = desk;
  const target = await desk.store.runs.target('r1');
  if (!target) throw new Error('there is no target');
  const github = await deps.github(target);
  await reconcileRun(deps, 'r1', {
    comment: {
      comment: told.id,
      handle: () =>
        onCommentCreated(deps, github, {
          comment: { ...told, body: '/guide Second', created_at: told.updated_at },
          login: 'olivia',
          repo_id: target.repo_id,
          number: issue,
          isPullRequest: false,
        }),
    },
  });
  const { guidance, status } = await desk.state();
  expect(guidance.map((text) => text.replace(/^.*?(First|Second).*$/s, '$1'))).toEqual(['First', 'Second']);
  expect(status).toBe('building');
  expect(first.id).toBeLessThan(told.id);
});

test('N-1: a command whose event was dropped while the pull request rested is heard', async () => {
  desk = await openAppDesk();
  const { number } = await restOnPull(desk);
  expect((await desk.state()).status).toBe('reviewing');
  desk.loseWebhooks(true);
  await desk.olivia.comment(number, '/guide Use a label');
  expect(await reconcileRun(desk.deps, 'r1')).toEqual([]);
  await desk.settle();
  expect((await desk.state()).revision).toBeDefined();
});

test('N-1: a command in a remark on a line whose event was dropped at rest is heard, once', async () => {
  desk = await openAppDesk();
  const { number } = await restOnPull(desk);
  desk.loseWebhooks(true);
  const walter = desk.person('walter');
  await walter.remark(number, { path: 'src/login.ts', line: 1, body: '/guide Use a label' });
  const edited = await walter.remark(number, { path: 'src/login.ts', line: 1, body: 'Why?' });
  await desk.olivia.editRemark(edited, '/terminate');
  await desk.settle();
  expect(await reconcileRun(desk.deps, 'r1')).toEqual([]);
  expect(await reconcileRun(desk.deps, 'r1')).toEqual([]);
  const { asked_revisions, status } = await desk.state();
  expect({ status, said: asked_revisions?.map(({ instruction }) => instruction) }).toEqual({
    status: 'reviewing',
    said: ['Use a label'],
  });
});

test('N-1: a review whose event was dropped is read by the desk of an event about the pull request', async () => {
  desk = await openAppDesk();
  const { number } = await restOnPull(desk);
  await remarkUnseen(desk, number, [{ path: 'src/login.ts', line: 1, body: 'Name it' }]);
  expect((await desk.state()).asked_revisions).toBeUndefined();
  expect(await reconcileRun(desk.deps, 'r1', { isAboutPull: true })).toEqual([]);
  expect((await desk.state()).asked_revisions).toMatchObject([{ by: 'walter', source: 'review' }]);
});

test('N-1: a box under a report about CI that was ticked unheard at rest counts', async () => {
  desk = await openAppDesk();
  const { number, head } = await restOnPull(desk);
  const runs = [{ name: 'e2e', conclusion: 'failure' }] as const;
  await desk.github.ci.report(await head(), { workflow: 'ci.yml', runs: [...runs] });
  await desk.settle();
  const report = (await desk.olivia.comments(number)).find(({ body }) => body.includes(':ci '));
  if (!report) throw new Error('there is no report');
  desk.loseWebhooks(true);
  await desk.person('walter').tick(report, 'fix');
  expect(await reconcileRun(desk.deps, 'r1')).toEqual([]);
  expect((await desk.state()).asked_revisions).toMatchObject([{ by: 'walter', source: 'ci' }]);
});

test('N-2: a state that another desk took over ends the reading, and is no part that is left out', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  desk.loseWebhooks(true);
  await desk.olivia.comment(issue, '/guide First');
  const lost = new Error('taken over');
  const runs = { ...desk.deps.store.runs, commit: () => Promise.reject(lost) };
  const deps = {
    ...desk.deps,
    store: { ...desk.deps.store, runs },
    mustStop: (error: unknown) => error === lost,
  };
  await expect(reconcileRun(deps, 'r1')).rejects.toThrow('taken over');
});

test('N-1: a part that GitHub does not answer for is reported, and the rest is read', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  desk.loseWebhooks(true);
  await desk.olivia.comment(issue, '/cancel');
  // Not one of those that are asked for again, seconds later.
  desk.interfere(({ path, method }) =>
    method === 'GET' && path.endsWith(`/issues/${issue}`) ? { status: 403, body: {} } : undefined,
  );
  expect(await reconcileRun(desk.deps, 'r1')).toHaveLength(1);
  expect((await desk.state()).status).toBe('cancelled');
});
