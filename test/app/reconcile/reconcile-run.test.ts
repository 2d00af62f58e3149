import { afterEach, expect, test } from 'vitest';
import { onCommentCreated } from '../../../src/app/handlers/comment-created.ts';
import { reconcileRun } from '../../../src/app/reconcile/reconcile-run.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { publishRun } from '../published-run.ts';

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
  expect(await reconcileRun(desk.deps, 'r1')).toBe(true);
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
          comment: { ...told, body: '/guide Second' },
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

test('N-1: a part that GitHub does not answer for is reported, and the rest is read', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  desk.loseWebhooks(true);
  await desk.olivia.comment(issue, '/cancel');
  desk.interfere(({ path, method }) =>
    method === 'GET' && path.endsWith(`/issues/${issue}`) ? { status: 502, body: {} } : undefined,
  );
  expect(await reconcileRun(desk.deps, 'r1')).toBe(false);
  expect((await desk.state()).status).toBe('cancelled');
});
