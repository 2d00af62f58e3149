import { afterEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { actAndSettle, publishRun } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

test.each(['COMMENT', 'REQUEST_CHANGES', 'APPROVE'] as const)(
  'C-6: a command in a review counts like one in a comment: %s',
  async (verdict) => {
    desk = await openAppDesk();
    const work = await publishRun(desk);
    const { number } = await work.pull();
    const review = await actAndSettle(desk, 'pull_request_review', () =>
      desk.person('walter').review(number, verdict, 'Nearly.\n\n/guide Take any colour'),
    );
    const state = await desk.state();
    expect(state.status).toBe('building');
    expect(state.guidance.join()).toContain('Take any colour');
    expect(desk.github.reviewReactions.get(review.node_id)).toEqual(['eyes', 'rocket']);
  },
);

test('C-6: a review of somebody who may not write is refused politely; a verdict alone changes nothing', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number } = await work.pull();
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(number, 'APPROVE', 'Good.'),
  );
  const review = await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('tina').review(number, 'COMMENT', '/cancel'),
  );
  expect((await desk.state()).status).toBe('waiting_for_input');
  expect(desk.github.reviewReactions.get(review.node_id)).toEqual(['confused']);
  const replies = (await desk.olivia.comments(number)).filter(({ body }) => body.includes(':reply '));
  expect(replies.map(({ body }) => body)).toEqual([expect.stringContaining('write access')]);
});

test('a run whose pull request is approved waits for the merge', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  const { number } = await work.pull();
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(number, 'APPROVE', 'Good.'),
  );
  expect((await desk.state()).status).toBe('reviewing');
  await actAndSettle(desk, 'pull_request', () => desk.olivia.merge(number));
  expect((await desk.state()).status).toBe('approved');
});

test('P-9: a secret in a review is taken, and as no review can be deleted, rotation and an edit are asked for', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number } = await work.pull();
  const secret = 'sk_live_abcdefghij0123456789';
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.olivia.review(number, 'COMMENT', `/provide colour=${secret}`),
  );
  expect((await desk.state()).status).toBe('building');
  const said = (await desk.olivia.comments(number)).map(({ body }) => body).join('\n');
  expect(said).toContain('Please rotate: colour. It was posted in a review.');
  expect(said).not.toContain(secret);
});
