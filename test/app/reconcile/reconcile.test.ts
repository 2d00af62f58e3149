import { afterEach, expect, test } from 'vitest';
import { GitHubError } from '../../../src/core/ports/github-port.ts';
import { laneKey } from '../../../src/core/ports/run-target.ts';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { changeSecond } from '../change-second.ts';
import { actAndSettle, publishRun } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const MINUTE_MS = 60_000;
const version = async () => (await desk.store.runs.load('r1')).version;
const commentsOf = async (issue: number, kind: string) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => body.includes(`:${kind} `));
const remove = (id: number) =>
  desk.github.callAs('olivia', 'DELETE', `/repos/olivia/shop/issues/comments/${id}`);

/** What people do meanwhile is told by nobody. */
async function unheard(act: () => Promise<unknown>): Promise<void> {
  desk.loseWebhooks(true);
  await act();
  await desk.settle();
  desk.loseWebhooks(false);
}

async function openWith(target = {}): Promise<number> {
  desk = await openAppDesk();
  return (await desk.seed(askingRun(['colour']), target)).issue;
}

test('S-7: an edit of a comment that was handled is no second command', async () => {
  const issue = await openWith();
  const walter = desk.person('walter');
  const talk = await walter.comment(issue, 'I shall look at it.');
  const guide = await walter.comment(issue, '/review');
  await desk.settle();
  const before = await version();
  await walter.edit(guide, '/provide colour=red');
  await walter.edit(talk, '/cancel');
  await desk.settle();
  await desk.reconcile();
  expect(await version()).toBe(before);
});

test.each([
  ['handled', false],
  ['not heard of', true],
])(
  'S-7: a comment that was %s does nothing in its author’s name once somebody else edited it',
  async (_, lost) => {
    const issue = await openWith({ roles: { cancel: 'admin' } });
    desk.loseWebhooks(lost);
    const comment = await desk.olivia.comment(issue, lost ? '/status' : 'I shall look at it tomorrow.');
    await desk.settle();
    await desk.person('walter').edit(comment, '/cancel');
    await desk.settle();
    await desk.reconcile();
    // Taken back by its author, it is still not what was said first.
    await desk.olivia.edit(comment, '/cancel');
    await desk.reconcile();
    expect((await desk.state()).status).toBe('waiting_for_input');
  },
);

test('R-1: a comment nobody heard of counts as its author edited it', async () => {
  const issue = await openWith();
  await unheard(async () => {
    const comment = await desk.olivia.comment(issue, '/provide color=red');
    await desk.olivia.edit(comment, '/provide colour=red');
  });
  await desk.reconcile();
  expect((await desk.state()).status).toBe('building');
});

test('S-7: a review that somebody else edited does nothing', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number } = await work.pull();
  desk.loseWebhooks(true);
  const review = await actAndSettle(desk, 'pull_request_review', () =>
    desk.olivia.review(number, 'COMMENT', '/guide Like this'),
  );
  const github = await desk.deps.github({ installation_id: 100, owner: 'olivia', repo: 'shop' });
  desk.deps.github = async () => ({
    ...github,
    lastEdit: async (id) =>
      id === review.node_id ? { at: new Date().toISOString(), by: 'walter' } : github.lastEdit(id),
  });
  await desk.reconcile();
  expect((await desk.state()).guidance).toEqual([]);
  expect(desk.github.reviewReactions.get(review.node_id)).toBeUndefined();
});

test.each([
  ['ahead of', 5 * MINUTE_MS],
  ['behind', -5 * MINUTE_MS],
])('R-1: a command whose webhook was lost is found with a clock %s GitHub’s', async (_, skew) => {
  const issue = await openWith();
  desk.clock.ms += skew;
  await desk.reconcile();
  await unheard(() => desk.olivia.comment(issue, '/provide colour=red'));
  await desk.reconcile();
  expect((await desk.state()).status).toBe('building');
});

test('R-1: a command given right after the label is found with a clock ahead of GitHub’s', async () => {
  desk = await openAppDesk();
  desk.clock.ms += 5 * MINUTE_MS;
  const { issue, run } = await desk.begin();
  await unheard(() => desk.olivia.comment(issue, '/cancel'));
  await desk.reconcile();
  expect((await desk.state(run)).status).toBe('cancelled');
});

test('a command given before the label is not for the run that came after', async () => {
  desk = await openAppDesk();
  const issue = await desk.olivia.openIssue({ title: 'Make it', body: 'Make it.' });
  await unheard(() => desk.olivia.comment(issue, '/cancel'));
  // GitHub tells times to the second.
  const [{ updated_at } = { updated_at: '' }] = await desk.olivia.comments(issue);
  await expect
    .poll(() => Math.floor(Date.now() / 1_000) > Math.floor(Date.parse(updated_at) / 1_000))
    .toBe(true);
  await desk.olivia.label(issue, 'autobuild');
  await desk.settle();
  await desk.reconcile();
  const [run = ''] = await desk.store.runs.inPhase('working', 'waiting');
  expect((await desk.state(run)).status).not.toBe('cancelled');
});

test('R-1: a tick found late that nobody can be named for is asked for again, once, and the boxes are put back', async () => {
  const issue = await openWith();
  const [question] = await commentsOf(issue, 'escalation');
  if (!question) throw new Error('There is no question.');
  await unheard(() => desk.olivia.tick(question, 'accept'));
  const github = await desk.deps.github({ installation_id: 100, owner: 'olivia', repo: 'shop' });
  desk.deps.github = async () => ({ ...github, lastEdit: async () => undefined });
  for (let time = 0; time < 3; time += 1) {
    desk.clock.ms += MINUTE_MS;
    await desk.reconcile();
  }
  expect((await desk.state()).status).toBe('waiting_for_input');
  const replies = await commentsOf(issue, 'reply');
  expect(replies).toHaveLength(1);
  expect(replies[0]?.body).toContain('GitHub does not say by whom');
  expect(replies[0]?.body).toContain('reply with its command');
  const [after] = await commentsOf(issue, 'escalation');
  const withoutReminder = (body = '') => body.replace(/reminder [^·<\n]* UTC/, '');
  expect(withoutReminder(after?.body)).toBe(withoutReminder(question.body));
  // Ticked again, and heard of.
  if (after) await desk.olivia.tick(after, 'accept');
  await desk.settle();
  expect((await desk.state()).pending).toBeUndefined();
});

test('R-1: an open question that somebody deleted is written anew, and the status links to it', async () => {
  const issue = await openWith();
  const [question] = await commentsOf(issue, 'escalation');
  await desk.reconcile();
  await unheard(() => remove(question?.id ?? 0));
  await desk.reconcile();
  const [again, ...more] = await commentsOf(issue, 'escalation');
  expect(more).toEqual([]);
  expect(again?.id).not.toBe(question?.id);
  expect(again?.body).toBe(question?.body);
  const [status] = await commentsOf(issue, 'status');
  expect(status?.body).toContain(`#issuecomment-${again?.id}`);
  expect(status?.body).not.toContain(`#issuecomment-${question?.id}`);
});

test('R-1: a list counts as unread if GitHub asked for a pause before everything in it was handled', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']).park());
  const [question] = await commentsOf(issue, 'escalation');
  await desk.reconcile();
  await unheard(() => remove(question?.id ?? 0));
  desk.clock.ms += 2 * MINUTE_MS;
  // Otherwise the deletion is sent again, and is known by that.
  desk.interfere(({ path }) => (path.endsWith('/hook/deliveries') ? { status: 200, body: [] } : undefined));
  const { github } = desk.deps;
  const client = await github({ installation_id: 100, owner: 'olivia', repo: 'shop' });
  const pause = new GitHubError('Too many requests', { status: 429, retryAfter: 60 });
  let asked = 0;
  desk.deps.github = async () => ({
    ...client,
    comment() {
      asked += 1;
      return Promise.reject(pause);
    },
  });
  await desk.reconcile();
  expect(asked).toBe(1);
  expect((await desk.store.cursors.get('polled', '1'))?.issues).toBeUndefined();
});

test('R-1: an issue that was labelled and closed while the list of issues stayed the same is read on its own', async () => {
  desk = await openAppDesk();
  await desk.reconcile();
  expect((await desk.store.cursors.get('polled', '1'))?.issues).toEqual([expect.any(String)]);
  const { issue } = await desk.seed(askingRun(['colour']));
  await unheard(() => desk.person('walter').closeIssue(issue));
  await desk.reconcile();
  expect((await desk.state()).status).toBe('cancelled');
});

test('R-2: a deleted question is written anew once, though the answer to that is lost', async () => {
  const issue = await openWith();
  const [question] = await commentsOf(issue, 'escalation');
  await remove(question?.id ?? 0);
  const github = await desk.deps.github({ installation_id: 100, owner: 'olivia', repo: 'shop' });
  let lost = 0;
  desk.deps.github = async () => ({
    ...github,
    async createComment(number, body) {
      const written = await github.createComment(number, body);
      if (!body.includes(':escalation ')) return written;
      lost += 1;
      if (lost === 1) throw new Error('the answer is lost');
      return written;
    },
  });
  await desk.reconcile();
  desk.clock.ms += 10_000;
  await desk.reconcile();
  expect(lost).toBe(1);
  const [again, ...more] = await commentsOf(issue, 'escalation');
  expect(more).toEqual([]);
  if (again) await desk.olivia.tick(again, 'accept');
  await desk.settle();
  expect((await desk.state()).pending).toBeUndefined();
});

test('R-1: a status that somebody deleted and a state label that somebody removed come back, once', async () => {
  const issue = await openWith();
  const [status] = await commentsOf(issue, 'status');
  await desk.reconcile();
  await unheard(async () => {
    await remove(status?.id ?? 0);
    await desk.olivia.unlabel(issue, 'autobuild:waiting');
  });
  await desk.reconcile();
  await desk.reconcile();
  const [again, ...more] = await commentsOf(issue, 'status');
  expect(more).toEqual([]);
  expect(again?.id).not.toBe(status?.id);
  expect(again?.body).toBe(status?.body);
  expect(await desk.olivia.labels(issue)).toContain('autobuild:waiting');
});

test('R-1: a comment of ours that somebody reworded is restored, though the webhook was lost', async () => {
  const issue = await openWith();
  await desk.reconcile();
  for (const kind of ['escalation', 'status']) {
    const [comment] = await commentsOf(issue, kind);
    const body = comment?.body ?? '';
    await unheard(() =>
      desk.github.callAs('walter', 'PATCH', `/repos/olivia/shop/issues/comments/${comment?.id}`, {
        body: body.replace('colour', 'password'),
      }),
    );
    await desk.reconcile();
    expect((await commentsOf(issue, kind))[0]?.body).toBe(body);
  }
});

test('R-13: the status of a paused run comes back, though somebody deleted it and wrote something before anybody looked', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(startRun({ startMs: Date.now() - 60 * MINUTE_MS }).turn());
  await desk.olivia.comment(issue, '/pause');
  await desk.settle();
  await desk.reconcile();
  const [status] = await commentsOf(issue, 'status');
  await changeSecond();
  await unheard(async () => {
    await remove(status?.id ?? 0);
    await desk.olivia.comment(issue, 'What was that?');
  });
  for (let time = 0; time < 2; time += 1) await desk.reconcile();
  expect(await commentsOf(issue, 'status')).toHaveLength(1);
});

test.each([
  ['label that somebody removed', (issue: number) => desk.olivia.unlabel(issue, 'autobuild:waiting')],
  [
    'comment that somebody reworded',
    async (issue: number) => {
      const [status = expect.fail('no status')] = await commentsOf(issue, 'status');
      await desk.person('walter').edit(status, `${status.body}\nReworded.`);
    },
  ],
])(
  'R-13: a %s comes back, though the desk that noticed was killed before it could say so',
  async (_, act) => {
    const issue = await openWith();
    // Everything that was put off is written, so that nothing else writes the status again.
    desk.clock.ms += 3 * MINUTE_MS;
    await desk.settle();
    await desk.reconcile();
    await unheard(() => act(issue));
    const { runs } = desk.store;
    const { commit } = runs;
    runs.commit = () => Promise.reject(new Error('killed'));
    await desk.reconcile();
    runs.commit = commit;
    for (let time = 0; time < 2; time += 1) {
      desk.clock.ms += MINUTE_MS;
      await desk.reconcile();
    }
    expect(await desk.olivia.labels(issue)).toContain('autobuild:waiting');
    expect((await commentsOf(issue, 'status'))[0]?.body).not.toContain('Reworded.');
  },
);

test('nothing changed: a question costs no look', async () => {
  await openWith();
  await desk.reconcile();
  desk.exchanges.length = 0;
  await desk.reconcile();
  const looked = desk.exchanges.filter(({ call }) => /\/issues\/comments\/\d+$/.test(call.path));
  expect(looked).toEqual([]);
});

test.each([
  ['closed', (issue: number) => desk.person('walter').closeIssue(issue)],
  ['unlabelled', (issue: number) => desk.person('walter').unlabel(issue, 'autobuild')],
  [
    'locked',
    (issue: number) => desk.github.callAs('walter', 'PUT', `/repos/olivia/shop/issues/${issue}/lock`, {}),
  ],
])('C-6: an issue found %s cancels the run, in the name of who did it', async (_, act) => {
  const issue = await openWith();
  await unheard(() => act(issue));
  await desk.reconcile();
  expect(await desk.state()).toMatchObject({ status: 'cancelled', finished: { by: 'walter' } });
  expect(await desk.waysOfCommands()).toEqual(['github']);
});

test('C-6: merging the pull request closes the issue and cancels nothing: the run is approved as soon as the merge is found', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number } = await work.pull();
  await desk.github.upstream('PATCH', `/repos/olivia/shop/pulls/${number}`, { draft: false });
  await unheard(() => desk.olivia.merge(number));
  await desk.olivia.closeIssue(work.issue);
  await desk.settle();
  expect((await desk.state()).status).toBe('waiting_for_input');
  await desk.reconcile();
  expect(await desk.state()).toMatchObject({
    status: 'approved',
    finished: { partial: true, by: 'olivia' },
  });
});

test('R-14: a question that GitHub does not take is not asked again while it is still being tried', async () => {
  desk = await openAppDesk();
  desk.interfere(({ method, path }) =>
    method === 'POST' && /\/issues\/\d+\/comments$/.test(path)
      ? { status: 502, body: { message: 'Bad Gateway' } }
      : undefined,
  );
  const { issue } = await desk.seed(askingRun(['colour']));
  const { repo_id = 0 } = (await desk.store.runs.target('r1')) ?? {};
  const asks = async () =>
    (await desk.store.outbox.waiting(laneKey(repo_id, issue), 'r1')).filter(({ type }) => type === 'ask')
      .length;
  for (let minute = 0; minute < 60; minute += 5) {
    desk.clock.ms += 5 * MINUTE_MS;
    await desk.reconcile();
    expect(await asks()).toBe(1);
  }
  const decided = (await desk.store.runs.events('r1')).flatMap(({ commit }) => commit.effects);
  expect(decided.filter(({ type }) => type === 'ask')).toHaveLength(1);
});

test('R-13: a question that GitHub refused for good is asked again, so that nobody waits for an answer that cannot be given', async () => {
  desk = await openAppDesk();
  desk.interfere(({ method, path }) =>
    method === 'POST' && /\/issues\/\d+\/comments$/.test(path)
      ? { status: 403, body: { message: 'Resource not accessible by integration' } }
      : undefined,
  );
  const { issue } = await desk.seed(askingRun(['colour']));
  for (let time = 0; time < 20; time += 1) {
    desk.clock.ms += 10 * MINUTE_MS;
    await desk.settle();
  }
  expect((await desk.store.outbox.size()).buried).toBeGreaterThan(0);
  desk.interfere(() => undefined);
  desk.clock.ms += 10 * MINUTE_MS;
  await desk.reconcile();
  expect(await commentsOf(issue, 'escalation')).toHaveLength(1);
  await desk.reconcile();
  expect(await commentsOf(issue, 'escalation')).toHaveLength(1);
});
