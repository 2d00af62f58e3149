import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { actAndSettle, type Published } from '../published-run.ts';
import { pushToMain } from '../revise/push-to-main.ts';
import { restOnPull } from '../revise-desk.ts';

let desk: AppDesk;
let work: Published & { number: number };
/** A pull request with every box that a description can have. */
beforeEach(async () => {
  desk = await openAppDesk();
  work = await restOnPull(desk);
  const remark = { path: 'src/login.ts', line: 1, body: 'A constant?' };
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(work.number, 'COMMENT', '', [remark]),
  );
  await pushToMain(desk, 'src/login.ts', 'of main\n');
  while ((await desk.doLater()) > 0);
});
afterEach(() => desk?.close());

const BOXES = ['r.address', 'm.update', 'ci.'];
const body = async () => (await work.pull()).body;
const ticked = async () =>
  [...(await body()).matchAll(/- \[x\] <!-- autobuild:option id=(\S+)/g)].map((one) => one[1]);
const tick = async (box: string) =>
  desk
    .person('walter')
    .describePullRequest(
      work.number,
      (await body()).replace(
        `- [ ] <!-- autobuild:option id=${box}`,
        `- [x] <!-- autobuild:option id=${box}`,
      ),
    );

async function tickUnseen(box: string): Promise<void> {
  desk.loseWebhooks(true);
  await tick(box);
  await desk.settle();
  desk.loseWebhooks(false);
}

describe.each(BOXES)('R-4, V-2, V-6: a tick of %s that no handler has read yet', (box) => {
  test.each(['describe_pull', 'publish', 'run_ci of another commit'])(
    'outlives %s, and counts when it is read',
    async (what) => {
      await tickUnseen(box);
      expect(await ticked()).toEqual([expect.stringContaining(box)]);
      if (what === 'describe_pull') await desk.perform({ type: 'describe_pull' });
      else if (what === 'publish') await desk.perform({ type: 'publish', ready: true });
      else await desk.perform({ type: 'run_ci', head: 'a'.repeat(40), pull: work.number });
      expect(await ticked()).toEqual([expect.stringContaining(box)]);
      await desk.reconcile();
      expect(await ticked()).toEqual([]);
      const { asked_revisions = [], revision } = await desk.state();
      const isAsked = asked_revisions.length > 0 || revision !== undefined;
      const isCi = (await body()).includes('✓ CI runs on');
      expect({ isAsked, isCi }).toEqual({ isAsked: box !== 'ci.', isCi: box === 'ci.' });
    },
  );
});

test('V-2: of two ticks the second outlives the answer to the first, and both boxes are empty in the end', async () => {
  const deliveries = () =>
    desk.github.webhooks.deliveries.filter(({ payload }) => payload.action === 'edited');
  desk.loseWebhooks(true);
  await tick('r.address');
  await desk.settle();
  await tick('m.update');
  await desk.settle();
  desk.loseWebhooks(false);
  const [first, second] = deliveries().slice(-2);
  if (!first || !second) expect.fail('no edits');
  // Somebody who may not begin a round, so that the boxes stay.
  const sender = { login: 'rita', type: 'User' };
  await desk.receive('pull_request', { ...first.payload, sender });
  await desk.settle();
  expect(await ticked()).toEqual(expect.arrayContaining(['m.update']));
  await desk.receive('pull_request', { ...second.payload, sender });
  await desk.settle();
  expect(await ticked()).toEqual([]);
  expect((await desk.state()).asked_revisions ?? []).toEqual([]);
});

test('R-2: a crash between the command of a tick and the description: the box is empty after the next delivery', async () => {
  const { commit } = desk.store.runs;
  let crashed = false;
  desk.store.runs.commit = async (run, version, done, ...rest) => {
    const { input } = done;
    if (crashed || input.type !== 'write' || !input.effects.some(({ type }) => type === 'describe_pull'))
      return commit(run, version, done, ...rest);
    crashed = true;
    throw new Error('killed');
  };
  desk.loseWebhooks(true);
  await tick('m.update');
  await desk.settle();
  desk.loseWebhooks(false);
  const edit = desk.github.webhooks.deliveries.findLast(({ payload }) => payload.action === 'edited');
  if (!edit) expect.fail('no edit');
  await expect(desk.receive('pull_request', edit.payload)).rejects.toThrow();
  await desk.receive('pull_request', edit.payload, 'again');
  await desk.settle();
  expect(crashed).toBe(true);
  expect(await ticked()).toEqual([]);
  expect((await desk.state()).revision).toMatchObject({ number: 2, source: 'update' });
});

test('V-6: a tick that was answered counts anew when it is made anew', async () => {
  desk.github.requireLinearHistory(true);
  await actAndSettle(desk, 'pull_request', () => tick('m.update'));
  await desk.settle();
  expect(await ticked()).toEqual([]);
  await tickUnseen('m.update');
  await desk.perform({ type: 'describe_pull' });
  expect(await ticked()).toEqual(['m.update']);
});
