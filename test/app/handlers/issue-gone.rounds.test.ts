import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
/** The local GitHub has the time of this machine, in whole seconds. */
async function nextSecond(): Promise<void> {
  await setTimeout(1_100);
  scene.desk.clock.ms = Date.now();
}

const lookTwice = async () => {
  for (let time = 0; time < 2; time += 1) {
    await scene.desk.reconcile();
    await scene.desk.settle();
  }
};
const endings = {
  'the issue is closed': async () => scene.desk.olivia.closeIssue(scene.work.issue),
  'its label is taken off': async () => scene.desk.olivia.unlabel(scene.work.issue, 'autobuild'),
};

test.each(Object.entries(endings))(
  'C-6: %s while the run rests: a round that begins afterwards is not cancelled',
  async (_, end) => {
    await end();
    await scene.desk.settle();
    await nextSecond();
    await scene.begin('/guide Two lines');
    await lookTwice();
    expect((await scene.desk.state()).revision).toBeDefined();
  },
);

test.each(Object.entries(endings))(
  'R-9: %s in a second round as in the first: the round is cancelled, found by polling',
  async (name, end) => {
    for (const round of [1, 2]) {
      await nextSecond();
      await scene.begin(`/guide Do ${round}`);
      await lookTwice();
      expect((await scene.desk.state()).revision, `round ${round}`).toBeDefined();
      await nextSecond();
      scene.desk.loseWebhooks(true);
      await end();
      await scene.desk.settle();
      await lookTwice();
      expect((await scene.desk.state()).revision, `after ${name} in round ${round}`).toBeUndefined();
      if (name.includes('closed'))
        await scene.desk.github.callAs('olivia', 'PATCH', `/repos/olivia/shop/issues/${scene.work.issue}`, {
          state: 'open',
        });
      else await scene.desk.olivia.label(scene.work.issue, 'autobuild');
      await scene.desk.settle();
      scene.desk.loseWebhooks(false);
      await lookTwice();
    }
  },
);
