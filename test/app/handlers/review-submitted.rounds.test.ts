import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Input } from '../../../src/core/contracts/input.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { actAndSettle, type Published } from '../published-run.ts';
import { restOnPull } from '../revise-desk.ts';

const MINUTE_MS = 60_000;
const LINE = { path: 'src/login.ts', line: 1, body: 'A constant, please.' };

let desk: AppDesk;
let work: Published & { number: number };
beforeEach(async () => {
  desk = await openAppDesk();
  work = await restOnPull(desk);
});
afterEach(() => desk?.close());

async function review(
  verdict: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT',
  { login = 'walter', body = '' } = {},
) {
  return actAndSettle(desk, 'pull_request_review', () =>
    desk.person(login).review(work.number, verdict, body, [LINE]),
  );
}

async function aMinuteLater(): Promise<void> {
  desk.clock.ms += MINUTE_MS + 1_000;
  await desk.settle();
  await desk.settle();
}

const said = async () => (await desk.olivia.comments(work.issue)).map(({ body }) => body).join('\n');
const described = async () => (await work.pull()).body;

test('V-2: a review that requests changes begins a round a minute later, so that several of them are one', async () => {
  const first = await review('REQUEST_CHANGES');
  expect(desk.github.reviewReactions.get(first.node_id)).toEqual(['eyes']);
  expect((await desk.state()).status).toBe('reviewing');
  await review('REQUEST_CHANGES', { login: 'olivia', body: 'And a test.' });
  await aMinuteLater();
  const { status, revision } = await desk.state();
  expect(status).toBe('building');
  expect(await desk.dispatch(2)).toBeDefined();
  expect(revision).toMatchObject({
    number: 2,
    by: 'walter, olivia',
    source: 'review',
    url: expect.any(String),
  });
  expect(revision?.remarks.map(({ author, text }) => [author, text])).toEqual([
    ['walter', LINE.body],
    ['olivia', LINE.body],
    ['olivia', 'And a test.'],
  ]);
  expect(revision?.head).toBe(await work.head());
  expect(await described()).toContain('▶ **Round 2 is running**: 3 remarks by walter and olivia.');
  expect(await said()).toContain('### ▶ Building round 2: ');
  await aMinuteLater();
  expect((await desk.state()).revision?.number).toBe(2);
});

test('V-2: the same review twice is one round; a review in a round waits for the next', async () => {
  await review('REQUEST_CHANGES');
  const sent = desk.github.webhooks.deliveries.find(({ event }) => event === 'pull_request_review');
  await desk.receive('pull_request_review', sent?.payload ?? {});
  await aMinuteLater();
  expect((await desk.state()).revision?.number).toBe(2);
  await desk.receive('pull_request_review', sent?.payload ?? {});
  expect((await desk.state()).asked_revisions).toBeUndefined();
  await review('REQUEST_CHANGES', { login: 'olivia' });
  await aMinuteLater();
  const { revision, asked_revisions } = await desk.state();
  expect(revision?.number).toBe(2);
  expect(asked_revisions).toMatchObject([{ by: 'olivia', source: 'review' }]);
});

test.each([
  ['of somebody without the role', 'REQUEST_CHANGES', 'tina'],
  ['that only comments', 'COMMENT', 'walter'],
] as const)(
  'V-2: a review %s starts nothing; its remarks are counted in a box',
  async (_, verdict, login) => {
    await review(verdict, { login });
    await aMinuteLater();
    expect((await desk.state()).asked_revisions).toBeUndefined();
    expect((await desk.state()).status).toBe('reviewing');
    expect(await described()).toContain(
      `- [ ] <!-- autobuild:option id=r.address --> **Address 1 open remark** (1 by ${login}): starts round 2. \`/continue\``,
    );
  },
);

test('V-2: with `ask` a review that requests changes asks once in a comment, and the box or /continue starts the round', async () => {
  const target = await desk.store.runs.target('r1');
  const asking = { max: 10, on_changes_requested: 'ask' as const, request_review: 'on' as const };
  desk.store.runs.target = async () => target && { ...target, revisions: asking };
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(work.number, 'REQUEST_CHANGES', 'Do it otherwise.'),
  );
  const sent = desk.github.webhooks.deliveries.find(({ event }) => event === 'pull_request_review');
  await desk.receive('pull_request_review', sent?.payload ?? {});
  await aMinuteLater();
  expect((await desk.state()).asked_revisions).toBeUndefined();
  const asked = (await desk.olivia.comments(work.number)).filter(({ body }) =>
    body.includes('Start round 2?'),
  );
  expect(asked).toHaveLength(1);
  expect(asked[0]?.body).toContain('⏸ **walter requested changes. Start round 2?**');
  // The words of a review as a whole are a remark, too.
  expect(await described()).toContain('**Address 1 open remark** (1 by walter): starts round 2.');
  await desk.person('walter').comment(work.number, '/continue');
  await desk.settle();
  const { revision } = await desk.state();
  expect(revision).toMatchObject({ by: 'walter', source: 'command' });
  expect(revision?.remarks.map(({ text }) => text)).toEqual(['Do it otherwise.']);
  await review('REQUEST_CHANGES', { login: 'olivia' });
  const told = (await desk.olivia.comments(work.number)).map(({ body }) => body).join('\n');
  expect(told).toContain('olivia requested changes. Start round 3?');
  expect(told).toContain('Round 2 is still running.');
  expect((await desk.state()).asked_revisions).toBeUndefined();
});

test('V-2: a tick of the box is /continue, and takes the remarks of everybody', async () => {
  await review('COMMENT', { login: 'tina' });
  const ticked = (await described()).replace(
    '- [ ] <!-- autobuild:option id=r.address',
    '- [x] <!-- autobuild:option id=r.address',
  );
  await actAndSettle(desk, 'pull_request', () =>
    desk.person('walter').describePullRequest(work.number, ticked),
  );
  const { revision } = await desk.state();
  expect(revision).toMatchObject({ number: 2, by: 'walter', source: 'box' });
  expect(revision?.remarks.map(({ author }) => author)).toEqual(['tina']);
  expect(await described()).not.toContain('r.address');
});

test('V-2: a dismissed review is no remark any more; without any, no round begins and people are told', async () => {
  const { id } = await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(work.number, 'REQUEST_CHANGES', 'Do it otherwise.'),
  );
  await desk.github.callAs(
    'olivia',
    'PUT',
    `/repos/olivia/shop/pulls/${work.number}/reviews/${id}/dismissals`,
    { message: 'No' },
  );
  await aMinuteLater();
  expect((await desk.state()).revision).toBeUndefined();
  expect(await said()).toContain('Nothing to do: there are no open remarks.');
});

test('V-2: reconcile finds a review whose webhook was lost', async () => {
  desk.loseWebhooks(true);
  await desk.person('walter').review(work.number, 'REQUEST_CHANGES', '', [LINE]);
  await desk.settle();
  desk.loseWebhooks(false);
  desk.clock.ms += MINUTE_MS;
  await desk.reconcile();
  expect((await desk.state()).asked_revisions).toMatchObject([{ by: 'walter', source: 'review' }]);
  await aMinuteLater();
  expect((await desk.state()).revision?.remarks).toHaveLength(1);
  await desk.reconcile();
  expect((await desk.state()).asked_revisions).toBeUndefined();
});

test('V-2: /guide in a remark on a line is a round with those words', async () => {
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').remark(work.number, { ...LINE, body: '/guide Use a constant here' }),
  );
  await desk.settle();
  const { revision } = await desk.state();
  expect(revision).toMatchObject({ source: 'command', instruction: 'Use a constant here' });
});

/** The desk is killed after the decision about `input`; the next one gets the same webhook again. */
async function killedAfter(input: Input['type'], event: string, act: () => Promise<unknown>): Promise<void> {
  const { runs } = desk.store;
  const { commit } = runs;
  let isDead = false;
  runs.commit = async (run, version, decision) => {
    if (isDead) throw new Error('killed');
    isDead = decision.input.type === input;
    return commit(run, version, decision);
  };
  await act();
  await desk.settle().catch(() => undefined);
  expect(isDead).toBe(true);
  runs.commit = commit;
  const told = desk.github.webhooks.deliveries.findLast((delivery) => delivery.event === event);
  await desk.receive(event, told?.payload ?? {}, told?.id);
  desk.clock.ms += MINUTE_MS;
  await desk.settle();
}

test('R-3: the reviewer is shown that the request was seen, though the desk was killed after the decision', async () => {
  const walter = desk.person('walter');
  let node_id = '';
  await killedAfter('revision_asked', 'pull_request_review', async () => {
    ({ node_id } = await walter.review(work.number, 'REQUEST_CHANGES', 'Not yet.', [LINE]));
  });
  expect(desk.github.reviewReactions.get(node_id)).toEqual(['eyes']);
});

test('R-3: a new run says what it replaces, though the desk was killed after it began', async () => {
  await desk.olivia.unlabel(work.issue, 'autobuild');
  await desk.settle();
  await killedAfter('request', 'issues', () => desk.olivia.label(work.issue, 'autobuild'));
  expect((await said()).match(/A new run starts from `main`/g)).toHaveLength(1);
});

test('V-1: at rest the label and the issue change nothing; labelling again starts a new run and says so', async () => {
  await desk.olivia.unlabel(work.issue, 'autobuild');
  await desk.settle();
  expect((await desk.state()).status).toBe('reviewing');
  await desk.olivia.label(work.issue, 'autobuild');
  await desk.settle();
  const { repo_id = 0 } = (await desk.store.runs.target('r1')) ?? {};
  expect(await desk.store.runs.ofIssue(repo_id, work.issue)).not.toBe('r1');
  expect(await said()).toContain(
    `A new run starts from \`main\`. Its work will replace that of pull request \`#${work.number}\`.`,
  );
  await desk.person('walter').comment(work.number, '/continue');
  await desk.settle();
  expect(await said()).toContain('No round was started: a newer run of this issue has begun.');
});
