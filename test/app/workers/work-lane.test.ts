import { afterEach, expect, test } from 'vitest';
import { write } from '../../../src/app/handle-input.ts';
import { workLane } from '../../../src/app/workers/work-lane.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { endJobs } from '../end-jobs.ts';

const INSTALLED = { installation_id: 100, owner: 'olivia', repo: 'shop' };
const LONGER_THAN_LEASE_MS = 20_000;

let desk: AppDesk;
afterEach(async () => {
  if (desk) await endJobs(desk);
  await desk?.close();
});

test('R-2: a desk that stood still for longer than its lease does not write what another desk wrote', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const { deps, store, clock } = desk;
  await write(deps, 'r1', [{ type: 'reply', reply: { tone: 'info', title: 'Said once' } }]);
  let others = 0;
  const standingStill: typeof deps = {
    ...deps,
    store: {
      ...store,
      comments: {
        ...store.comments,
        async save(op, change) {
          const saved = await store.comments.save(op, change);
          if (others === 0) {
            others += 1;
            clock.ms += LONGER_THAN_LEASE_MS;
            await workLane(deps);
          }
          return saved;
        },
      },
    },
  };
  await workLane(standingStill);
  await desk.settle();
  expect(others).toBe(1);
  const comments = await (await deps.github(INSTALLED)).comments(issue);
  expect(comments.filter(({ body }) => body.includes('Said once'))).toHaveLength(1);
});
