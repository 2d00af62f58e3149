import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Call } from '../../src/sandbox/github/gap.ts';
import type { SeenPullRequest } from '../../src/sandbox/person.ts';
import { AUTHORS, DESKS, openScene, type Scene, type Story } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const REMARKS = [1, 2, 3].map((line) => ({ path: 'pay.txt', line, body: `Line ${line}, please.` }));

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  /** Who has lost their role. */
  const withdrawn = new Set<string>();
  beforeAll(async () => {
    scene = await openScene({
      desk,
      interfere({ path, method }: Call) {
        const login = /\/collaborators\/(\w+)\/permission$/.exec(path)?.[1];
        if (method !== 'GET' || login === undefined || !withdrawn.has(login)) return undefined;
        return { status: 200, body: { permission: 'read', role_name: 'read', user: { login } } };
      },
    });
  });
  afterAll(() => scene?.close());
  afterEach(() => {
    withdrawn.clear();
    scene.sandbox.runner.resume();
  });

  const walter = () => scene.sandbox.person('walter');
  const ours = ({ user }: { user: { login: string } }) => user.login === AUTHORS[desk];
  const upstream = (method: string, path: string, body?: unknown) =>
    scene.sandbox.github.upstream(method, `/repos/olivia/shop${path}`, body);
  const said = async ({ issue }: Story, words: string) =>
    (await scene.olivia.comments(issue)).filter(({ body }) => body.includes(words)).length;
  const describePull = async ({ number }: SeenPullRequest) =>
    (await upstream('GET', `/pulls/${number}`)).body as {
      draft: boolean;
      requested_reviewers: { login: string }[];
    };
  const parentsOf = async (sha: string) => {
    const { body } = await upstream('GET', `/git/commits/${sha}`);
    return (body as { parents: { sha: string }[] }).parents.map((parent) => parent.sha);
  };
  const onPull = async ({ number }: SeenPullRequest, words: string) =>
    (await scene.olivia.comments(number)).filter(({ body }) => body.includes(words)).length;
  const answersOn = async ({ number }: SeenPullRequest) => ({
    reviews: (await walter().reviews(number)).filter(ours),
    replies: (await walter().remarks(number)).filter(ours),
  });

  async function ready(): Promise<{ story: Story; pull: SeenPullRequest }> {
    const story = await scene.begin('obeys');
    await story.reached('done');
    await story.parked();
    return { story, pull: await story.pullRequest() };
  }

  /** A review of walter begins a round, whose build finds no machine until `go` lets it. */
  async function beginRound(pull: SeenPullRequest): Promise<{ review: { id: number }; go(): void }> {
    const { runner } = scene.sandbox;
    runner.pause(({ job, inputs }) => job === 'build' && inputs.kind !== 'verify');
    const review = await walter().review(pull.number, 'REQUEST_CHANGES', '', REMARKS);
    // With a server, the review alone begins the round a minute later, in case that more remarks follow.
    if (desk === 'App') await walter().comment(pull.number, '/continue');
    await until('the round runs', () => runner.waiting.length > 0);
    return { review, go: () => runner.resume() };
  }

  /** Until the round is told in the description. */
  async function roundOver(story: Story): Promise<SeenPullRequest> {
    await until('the round is over', async () => (await story.pullRequest()).body.includes('Rounds: 2<'));
    await story.reached('done');
    await story.parked();
    return story.pullRequest();
  }

  test('V-4: its review dismissed, a remark deleted, another edited in a round: what is left is answered, once', async () => {
    const { story, pull } = await ready();
    const { review, go } = await beginRound(pull);
    const [first, second] = await walter().remarks(pull.number);
    await walter().dismissReview(pull.number, review);
    await walter().deleteRemark(first ?? { id: 0 });
    await walter().editRemark(second ?? { id: 0 }, 'Line 2, in another way.');
    go();
    await roundOver(story);
    expect(await scene.olivia.file('pay.txt', pull.head.ref)).toBe('first\nsecond\nthird\nmore\n');
    const { reviews, replies } = await answersOn(pull);
    expect(reviews).toHaveLength(1);
    expect(replies).toHaveLength(2);
    expect((await describePull(pull)).requested_reviewers).toEqual([]);
    // The edited one is another remark now.
    expect((await story.pullRequest()).body).toContain('**Address 1 open remark**');
  });

  test('V-1: made a draft and sent to another base in a round: pushed, answered, and each said once', async () => {
    const { story, pull } = await ready();
    const { go } = await beginRound(pull);
    await upstream('POST', '/git/refs', { ref: `refs/heads/next-${story.issue}`, sha: pull.head.sha });
    await upstream('PATCH', `/pulls/${pull.number}`, { draft: true, base: `next-${story.issue}` });
    go();
    await roundOver(story);
    expect(await scene.olivia.file('pay.txt', pull.head.ref)).toContain('more\n');
    expect((await describePull(pull)).draft).toBe(true);
    await scene.lookAgain(story);
    expect(await said(story, `Pull request \`#${pull.number}\` is a draft now, and stays one.`)).toBe(1);
    expect(await said(story, `Pull request \`#${pull.number}\` goes to \`next-${story.issue}\` now.`)).toBe(
      1,
    );
    expect((await answersOn(pull)).replies).toHaveLength(3);
  });

  test('V-5: the branch deleted in a round: the work gets a branch of its own, and nothing is brought back', async () => {
    const { story, pull } = await ready();
    const { go } = await beginRound(pull);
    await upstream('DELETE', `/git/refs/heads/${pull.head.ref}`);
    go();
    const told = await story.comment('was deleted while it was running');
    await story.parked();
    const own = /Round 2 is pushed to `([^`]+)`/.exec(told.body)?.[1] ?? '';
    expect(own).toMatch(new RegExp(`^${pull.head.ref}-`));
    expect(await scene.olivia.file('pay.txt', own)).toContain('more\n');
    expect((await upstream('GET', `/git/ref/heads/${pull.head.ref}`)).status).toBe(404);
    expect(await said(story, `Round 2 is pushed to \`${own}\``)).toBe(1);
  });

  test('V-5: force-pushed in a round, with the same files: the work is put on top of it', async () => {
    const { story, pull } = await ready();
    const { go } = await beginRound(pull);
    const main = (await upstream('GET', '/git/ref/heads/main')).body as { object: { sha: string } };
    const { tree } = (await upstream('GET', `/git/commits/${pull.head.sha}`)).body as {
      tree: { sha: string };
    };
    const commit = { message: 'Squashed', tree: tree.sha, parents: [main.object.sha] };
    const { sha } = (await upstream('POST', '/git/commits', commit)).body as { sha: string };
    await scene.sandbox.github.callAs(
      'olivia',
      'PATCH',
      `/repos/olivia/shop/git/refs/heads/${pull.head.ref}`,
      { sha, force: true },
    );
    go();
    const { head } = await roundOver(story);
    expect(await parentsOf(head.sha)).toEqual([sha]);
    expect(await scene.olivia.file('pay.txt', head.ref)).toBe('first\nsecond\nthird\nmore\n');
  });

  test('V-2: who asks in a round and has lost the role when it ends gets none; nor does anybody in the merge queue', async () => {
    const { story, pull } = await ready();
    const { go } = await beginRound(pull);
    await walter().comment(pull.number, '/continue');
    await until('it waits', async () => (await onPull(pull, 'Noted for round 3.')) > 0);
    withdrawn.add('walter');
    go();
    await roundOver(story);
    await story.comment('No round was started: walter may not ask for one any more.');
    scene.sandbox.github.queued.add(pull.number);
    await scene.olivia.comment(pull.number, '/guide Another line');
    await story.comment('No round was started: the pull request waits in the merge queue.');
    scene.sandbox.github.queued.delete(pull.number);
    await story.parked();
    expect(story.runs('build')).toHaveLength(2);
  });

  test('V-5: the branch deleted and restored, the pull request closed and reopened, unheard: the round goes on', async () => {
    const { story, pull } = await ready();
    const { go } = await beginRound(pull);
    const { webhooks, workflows } = scene.sandbox.github;
    webhooks.route(() => []);
    workflows.route(() => false);
    await upstream('DELETE', `/git/refs/heads/${pull.head.ref}`);
    await scene.olivia.closePullRequest(pull.number);
    await upstream('POST', '/git/refs', { ref: `refs/heads/${pull.head.ref}`, sha: pull.head.sha });
    await scene.olivia.reopenPullRequest(pull.number);
    await scene.sandbox.github.heard();
    await webhooks.settled();
    await workflows.settled();
    webhooks.route((delivery) => [delivery]);
    workflows.route(() => true);
    go();
    const { head } = await roundOver(story);
    expect(await parentsOf(head.sha)).toEqual([pull.head.sha]);
  });

  test('V-4: a review that is pending under the same name already: the answer is one review all the same, without remarks that do not exist', async () => {
    const { story, pull } = await ready();
    const { go } = await beginRound(pull);
    const { reviews: book } = scene.sandbox.github;
    book.begin(pull.number, { login: AUTHORS[desk], bot: true }, pull.head.sha, 'Not finished');
    go();
    await roundOver(story);
    const { reviews, replies } = await answersOn(pull);
    expect(reviews).toHaveLength(1);
    expect(reviews[0]?.body).toContain('**Round 2: 3 fixed.**');
    expect(replies).toHaveLength(3);
    expect(book.pendingOf(pull.number, AUTHORS[desk])).toBeUndefined();
  });

  test('V-3: 200 remarks in one review are one round and one answer', async () => {
    const { story, pull } = await ready();
    const many = Array.from({ length: 200 }, (_, index) => ({
      ...{ path: 'pay.txt', line: (index % 3) + 1, body: `Remark ${index + 1}` },
    }));
    await walter().review(pull.number, 'REQUEST_CHANGES', '', many);
    if (desk === 'App') await walter().comment(pull.number, '/continue');
    await roundOver(story);
    const { reviews, replies } = await answersOn(pull);
    expect(reviews).toHaveLength(1);
    expect(replies).toHaveLength(200);
    expect(story.runs('build')).toHaveLength(2);
  });

  test.each(['closed', 'merged'] as const)(
    'V-1: %s in a round: it stops, which is said once, and nothing is pushed',
    async (how) => {
      const { story, pull } = await ready();
      const { go } = await beginRound(pull);
      if (how === 'merged') await scene.olivia.merge(pull.number);
      else await scene.olivia.closePullRequest(pull.number);
      await story.comment(`Round 2 was stopped: the pull request was ${how} by olivia.`);
      go();
      await story.parked();
      await scene.lookAgain(story);
      expect(await said(story, 'Round 2 was stopped')).toBe(1);
      expect(await scene.olivia.file('pay.txt', pull.head.ref)).not.toContain('more');
      expect((await story.pullRequest()).body).not.toContain('is running');
      expect((await answersOn(pull)).reviews).toEqual([]);
    },
  );
});
