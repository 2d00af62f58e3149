import { beforeEach, expect, test } from 'vitest';
import { actAndSettle } from '../published-run.ts';
import { useReviseScene } from '../revise-scene.ts';

const MINUTE_MS = 60_000;
const FIXED = [{ id: 'R1', result: 'fixed' }];

const scene = useReviseScene();
let { desk, work, branch } = scene;
beforeEach(async () => {
  ({ desk, work, branch } = scene);
  await scene.remark({ path: 'src/login.ts', line: 1, body: 'A constant?' });
  await scene.begin();
});

const change = (body: object) =>
  desk.github.upstream('PATCH', `/repos/olivia/shop/pulls/${work.number}`, body);
const finish = () => scene.finish({ remarks: FIXED });
const onBranch = () => desk.olivia.file('src/login.ts', branch);
const said = async (words: string) =>
  (await desk.olivia.comments(work.issue)).filter(({ body }) => body.includes(words)).length;
const reviewers = async () => {
  const { body } = await desk.github.upstream('GET', `/repos/olivia/shop/pulls/${work.number}`);
  return (body as { requested_reviewers: { login: string }[] }).requested_reviewers;
};

test('V-1: made a draft in a round: the work is pushed and answered, the draft stays one, and that is said once', async () => {
  await change({ draft: true });
  await finish();
  expect(await onBranch()).toBe('two\n');
  expect(await work.pull()).toMatchObject({ draft: true });
  const words = `Pull request \`#${work.number}\` is a draft now, and stays one.`;
  expect(await said(words)).toBe(1);
  expect(await reviewers()).toEqual([]);
  await desk.perform({ type: 'publish', ready: true });
  await desk.settle();
  expect(await said(words)).toBe(1);
});

test('V-1: sent to another base in a round: the work is pushed, and that is said once', async () => {
  await desk.github.upstream('POST', '/repos/olivia/shop/git/refs', {
    ...{ ref: 'refs/heads/next', sha: await work.head() },
  });
  await change({ base: 'next' });
  await finish();
  expect(await onBranch()).toBe('two\n');
  const words = `Pull request \`#${work.number}\` goes to \`next\` now. Round 2 was built and checked for \`main\`.`;
  expect(await said(words)).toBe(1);
  await desk.perform({ type: 'publish', ready: true });
  await desk.settle();
  expect(await said(words)).toBe(1);
});

test('V-1: queued to merge in a round: nothing is pushed until it has left the queue; then it is, and answered', async () => {
  desk.github.queued.add(work.number);
  await finish();
  expect(await onBranch()).toBe('one\n');
  expect(await said('✗ Not published: the pull request waits in the merge queue')).toBe(1);
  desk.clock.ms += 2 * MINUTE_MS;
  await desk.settle();
  expect(await onBranch()).toBe('one\n');
  desk.github.queued.delete(work.number);
  desk.clock.ms += 2 * MINUTE_MS;
  await desk.settle();
  expect(await onBranch()).toBe('two\n');
  expect(await said('Not published')).toBe(0);
  const replies = (await desk.person('walter').remarks(work.number)).map(({ body }) => body);
  expect(replies.filter((body) => body.includes('Fixed in'))).toHaveLength(1);
});

test('V-1: merged by the queue before the round was pushed: said once, and nothing is pushed', async () => {
  desk.github.queued.add(work.number);
  await finish();
  await actAndSettle(desk, 'pull_request', () => desk.olivia.merge(work.number));
  desk.clock.ms += 2 * MINUTE_MS;
  await desk.settle();
  expect((await desk.state()).status).toBe('approved');
  expect(await said(`Round 2 was not pushed: pull request \`#${work.number}\` was merged before.`)).toBe(1);
});

test.each([
  ['merged', 'approved', () => desk.olivia.merge(work.number)],
  ['closed', 'rejected', () => desk.olivia.closePullRequest(work.number)],
] as const)(
  'V-1: %s in a round: the round stops, which is said once, and the description does not say that it runs',
  async (how, status, act) => {
    expect((await work.pull()).body).toContain('Round 2 is running');
    await actAndSettle(desk, 'pull_request', act);
    expect((await desk.state()).status).toBe(status);
    expect(await said(`Round 2 was stopped: the pull request was ${how} by olivia.`)).toBe(1);
    const { body } = await work.pull();
    expect(body).not.toContain('is running');
    expect(body).toContain(how === 'merged' ? 'nothing: merged before' : 'nothing: cancelled');
  },
);

test('V-1: a branch that was deleted with the merge: the description is written all the same', async () => {
  await actAndSettle(desk, 'pull_request', async () => {
    await desk.olivia.merge(work.number);
    await desk.github.upstream('DELETE', `/repos/olivia/shop/git/refs/heads/${branch}`);
  });
  expect((await work.pull()).body).toContain('nothing: merged before');
});

test('V-1: /terminate in a round: the description does not say that it runs', async () => {
  await desk.olivia.comment(work.issue, '/terminate');
  await desk.settle();
  expect((await work.pull()).body).not.toContain('is running');
});
