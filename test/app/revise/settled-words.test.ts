import { expect, test, vi } from 'vitest';
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

test('V-3, V-4: a remark whose answer is in the summary, because its thread takes no reply, is open again only by new words', async () => {
  const { desk, work } = scene;
  await scene.remark(
    { path: 'src/login.ts', line: 1, body: 'One' },
    { path: 'src/login.ts', line: 1, body: 'Two' },
  );
  const [, locked] = desk.github.reviews.threads(work.number);
  const { reply } = desk.github.reviews;
  vi.spyOn(desk.github.reviews, 'reply').mockImplementation((review, thread, body) => {
    if (thread.id === locked?.id) throw new Error('Pull request review thread is locked');
    return reply(review, thread, body);
  });
  await begin();
  await finish({ remarks: [...FIXED, { id: 'R2', result: 'declined', note: 'As is.' }] });
  expect(await described()).not.toContain('r.address');
  const two = (await desk.person('walter').remarks(work.number)).find(({ body }) => body === 'Two');
  vi.restoreAllMocks();
  await desk.person('walter').remark(work.number, { replyTo: Number(two?.id), body: 'And yet' });
  await desk.settle();
  expect(await described()).toContain('**Address 1 open remark** (1 by walter): starts round 3.');
  expect((await begin())?.remarks.map(({ text }) => text)).toEqual(['And yet']);
});
