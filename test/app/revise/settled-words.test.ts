import { expect, test } from 'vitest';
import { actAndSettle } from '../published-run.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
const { begin, finish, finishUnpublished, described } = scene;
const FIXED = [{ id: 'R1', result: 'fixed' }];

test('V-2, V-8: the words of a review are counted in the box until a round has answered them on the pull request', async () => {
  await actAndSettle(scene.desk, 'pull_request_review', () =>
    scene.desk.person('walter').review(scene.work.number, 'REQUEST_CHANGES', 'Do it otherwise.'),
  );
  await begin();
  await finishUnpublished({ remarks: FIXED });
  expect(await described()).toContain('**Address 1 open remark** (1 by walter): starts round 3.');
  expect((await begin())?.remarks.map(({ text }) => text)).toEqual(['Do it otherwise.']);
  await finish({ remarks: FIXED });
  expect(await described()).not.toContain('r.address');
});
