import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from './app-desk.ts';

const SHOP = { installation_id: 100, owner: 'olivia', repo: 'shop' };

let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk();
});
afterEach(() => desk.close());

/** An issue whose label a person took off and set again before its run began. */
async function labelledTwice(): Promise<{ issue: number; run: string }> {
  const issue = await desk.olivia.openIssue({ title: 'Make it', body: 'Make it.' });
  desk.loseWebhooks(true);
  await desk.olivia.label(issue, 'autobuild');
  await desk.olivia.unlabel(issue, 'autobuild');
  await desk.settle();
  desk.loseWebhooks(false);
  await desk.olivia.label(issue, 'autobuild');
  await desk.settle();
  const [run = ''] = await desk.store.runs.list(1);
  return { issue, run };
}

test.each([
  ['told', false],
  ['found', true],
])(
  'C-6: our own removal of the label cancels nothing, though a person had removed it before (%s)',
  async (_, isLost) => {
    const { issue, run } = await labelledTwice();
    desk.loseWebhooks(isLost);
    await (await desk.deps.github(SHOP)).removeLabel(issue, 'autobuild');
    await desk.settle();
    desk.loseWebhooks(false);
    await desk.reconcile();
    expect((await desk.state(run)).finished).toBeUndefined();
  },
);

test('C-6: a person who removes the label after this App did and somebody set it again cancels', async () => {
  const { issue, run } = await labelledTwice();
  desk.loseWebhooks(true);
  await (await desk.deps.github(SHOP)).removeLabel(issue, 'autobuild');
  await desk.olivia.label(issue, 'autobuild');
  await desk.person('walter').unlabel(issue, 'autobuild');
  await desk.settle();
  desk.loseWebhooks(false);
  await desk.reconcile();
  expect((await desk.state(run)).finished).toMatchObject({ by: 'walter' });
});
