import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Delivery } from '../../src/sandbox/github/webhook-relay.ts';
import { openScene, type Scene } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());
beforeEach(() => scene.sandbox.github.webhooks.route((delivery) => [delivery]));

test('R-2: deliveries that come twice, and again later, have one effect', async () => {
  const { webhooks } = scene.sandbox.github;
  webhooks.route((delivery) => [delivery, delivery]);
  const story = await scene.begin('asks');
  await story.question();
  await story.parked();
  await scene.olivia.comment(story.issue, '/provide colour=blue');
  await story.reached('done');
  await story.parked();
  for (const delivery of webhooks.deliveries) expect(await webhooks.redeliver(delivery)).toBe(202);
  await scene.olivia.comment(story.issue, '/status');
  await story.comment(':reply ', 'Done: all checks pass, ready for review');
  const ours = (await story.comments()).filter(({ user }) => user.login === 'autobuild[bot]');
  const kinds = ours.map(({ body }) => /autobuild:(\w+)/.exec(body)?.[1]).sort();
  expect(kinds).toEqual(['escalation', 'receipt', 'reply', 'reply', 'status']);
  expect(story.runs()).toHaveLength(3);
});

test('R-2: deliveries in another order have the same effect', async () => {
  const { webhooks } = scene.sandbox.github;
  const story = await scene.begin('keeps-asking');
  await story.question();
  await story.parked();
  let held: Delivery | undefined;
  // The first comment overtakes nobody: it arrives after the second.
  webhooks.route((delivery) => {
    if (delivery.event !== 'issue_comment' || delivery.action !== 'created') return [delivery];
    if (held) return [delivery, held];
    held = delivery;
    return [];
  });
  await scene.olivia.comment(story.issue, '/guide Take your time');
  await scene.olivia.comment(story.issue, '/provide colour=late');
  await story.reached('done');
  const pull = await story.pullRequest();
  expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('late\n');
});

test('R-1, R-3: killed while people are asked, answered by comment and by tick while it is down: it goes on', async () => {
  const [told, ticked] = await Promise.all([scene.begin('asks'), scene.begin('asks')]);
  await Promise.all([told.question(), ticked.question(), told.parked(), ticked.parked()]);
  await scene.apps[0]?.kill();
  await scene.olivia.comment(told.issue, '/provide colour=green');
  await scene.sandbox.person('walter').tick(await ticked.question(), 'accept');
  await scene.sandbox.github.heard();
  await scene.sandbox.github.webhooks.settled();
  expect(scene.sandbox.github.webhooks.deliveries.at(-1)?.statuses).toEqual([0]);
  scene.apps[0] = await scene.sandbox.startApp();
  await Promise.all([told.reached('done'), ticked.reached('done')]);
  const pull = await told.pullRequest();
  expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('green\n');
  expect((await ticked.pullRequest()).body).toContain('walter');
  expect(told.runs('build')).toHaveLength(2);
});

test('R-3: killed while a job works: the job waits for it, and nothing is lost', async () => {
  const story = await scene.begin('asks');
  await until('the job has begun', () => scene.apps[0]?.log().includes(`"run":"i${story.issue}-`));
  await scene.apps[0]?.kill();
  scene.apps[0] = await scene.sandbox.startApp();
  await story.question();
  await story.parked();
  await scene.olivia.comment(story.issue, '/guide Take any');
  await story.reached('done');
  expect(story.runs('verify')).toHaveLength(1);
});
