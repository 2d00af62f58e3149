import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Call } from '../../src/sandbox/github/gap.ts';
import type { SeenComment } from '../../src/sandbox/person.ts';
import { AUTHORS, DESKS, openScene, type Scene, type Story } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

/** The calls by which a round is answered, in their order. */
const STEPS = [
  'addPullRequestReview(',
  'addPullRequestReviewThreadReply(',
  'submitPullRequestReview(',
  '/requested_reviewers',
];

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  let done: (call: Call) => void = () => undefined;
  beforeAll(async () => {
    scene = await openScene({
      desk,
      config: 'revisions:\n  max: 2\n',
      onExchange: ({ call }) => done(call),
    });
  });
  afterAll(() => scene?.close());

  const fileOf = async (story: Story) => scene.olivia.file('state.txt', (await story.pullRequest()).head.ref);

  /** A comment of ours on the pull request. */
  function onPull(number: number, ...texts: string[]): Promise<SeenComment> {
    return until(`a comment with ${texts.join(', ')}`, async () =>
      (await scene.olivia.comments(number)).find(({ body }) => texts.every((text) => body.includes(text))),
    );
  }

  test('V-1: when the rounds are used up people are asked, and one more tick is as many more', async () => {
    const story = await scene.begin('mends');
    await story.reached('done');
    for (const lines of ['Pending\nmore\n', 'Pending\nmore\nmore\n']) {
      await scene.olivia.comment(story.issue, '/guide Another line');
      await until('the line', async () => (await fileOf(story)) === lines);
      await story.reached('done');
    }
    await scene.olivia.comment(story.issue, '/guide Another line');
    const question = await story.question();
    expect(question.body).toContain('2 of 2 rounds used');
    await scene.olivia.tick(question, 'more-rounds');
    await until('the third line', async () => (await fileOf(story)) === 'Pending\nmore\nmore\nmore\n');
    await story.reached('done');
    expect(story.runs('build')).toHaveLength(4);
  });

  test('V-7: a failure of CI is fixed through its box, and the next head is not told of', async () => {
    const story = await scene.begin('mends');
    await story.reached('done');
    const { number, head } = await story.pullRequest();
    const { ci } = scene.sandbox.github;
    await ci.report(head.sha, {
      workflow: '.github/workflows/e2e.yml',
      runs: [{ name: 'e2e', conclusion: 'failure', log: 'Error: Expected "Paid", got "Pending"\n' }],
    });
    await scene.lookAgain(story);
    const told = await onPull(number, `CI fails on \`${head.sha.slice(0, 7)}\``);
    await scene.sandbox.person('walter').tick(told, 'fix');
    await until('the fix', async () => (await fileOf(story)) === 'Paid\n');
    await story.reached('done');
    const fixed = (await story.pullRequest()).head.sha;
    await ci.report(fixed, {
      workflow: '.github/workflows/e2e.yml',
      runs: [{ name: 'e2e', conclusion: 'success' }],
    });
    await onPull(number, 'a round fixes it, asked by walter');
    await scene.sandbox.github.webhooks.settled();
    await scene.lookAgain(story);
    const about = (await scene.olivia.comments(number)).filter(({ body }) => body.includes('autobuild:ci'));
    expect(about).toHaveLength(1);
  });

  /** The leases of a dead process run out by themselves, which takes 15 s after each kill. */
  function forgetLeases(): void {
    const database = new DatabaseSync(join(scene.directory, 'desk.db'));
    database.exec('update lanes set until_ms = 0');
    database.close();
  }

  /** Kills whoever made this call, and lets the next one begin. */
  async function replaceDesk({ caller }: Call, story: Story): Promise<void> {
    if (desk === 'Actions') {
      if (caller.kind !== 'job') throw new Error(`${caller.kind} is no desk`);
      scene.sandbox.github.killJob(caller.run, caller.job);
      await story.parked();
      await scene.lookAgain(story);
      return;
    }
    await scene.apps[0]?.kill();
    forgetLeases();
    scene.apps[0] = await scene.sandbox.startApp();
  }

  test('V-4: a desk that is killed after each call of the answer doubles nothing', async () => {
    const story = await scene.begin('revises');
    await story.reached('done');
    const { number } = await story.pullRequest();
    const walter = scene.sandbox.person('walter');
    const remark = (line: number) => ({ path: 'pay.txt', line, body: `Line ${line}, please.` });
    const left = [...STEPS];
    let back = Promise.resolve();
    done = (call) => {
      const [next] = left;
      if (next === undefined || !`${call.path} ${JSON.stringify(call.body)}`.includes(next)) return;
      left.shift();
      // The answer to this call is lost with the process.
      back = replaceDesk(call, story);
    };
    await walter.review(number, 'REQUEST_CHANGES', '', [remark(1), remark(2), remark(3)]);
    // With a server, the review alone begins the round a minute later, in case that more remarks follow.
    if (desk === 'App') await walter.comment(number, '/continue');
    await until(
      'every step',
      () => left.length === 0,
      () => left.join(),
    );
    await back;
    await story.reached('done');
    await until('the round is told', async () => (await story.pullRequest()).body.includes('Rounds: 2<'));
    const ours = ({ user }: { user: { login: string } }) => user.login === AUTHORS[desk];
    expect((await walter.reviews(number)).filter(ours)).toHaveLength(1);
    expect((await walter.remarks(number)).filter(ours)).toHaveLength(3);
  });
});
