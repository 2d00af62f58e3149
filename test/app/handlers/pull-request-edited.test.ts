import { afterEach, expect, test } from 'vitest';
import { runCi } from '../../../src/app/effects/run-ci.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { actAndSettle, commitOnBranch, publishRun, putChangeset } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const BOX = /^- \[ \] <!-- autobuild:option id=ci\.[0-9a-f]{40} --> \*\*Run CI on this branch\*\*/m;
const repliesOn = async (number: number) =>
  (await desk.olivia.comments(number)).filter(({ body }) => body.includes(':reply ')).map(({ body }) => body);

test('a tick of Run CI makes our commit again without [skip ci], with the same files; the box says so', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const seen = await work.pull();
  expect(seen.body).toMatch(BOX);
  expect(await work.messages()).toEqual([expect.stringContaining('[skip ci]')]);
  await actAndSettle(desk, 'pull_request', () => desk.person('walter').tickRunCi(seen));
  expect(await work.messages()).toEqual([`Add a login page\n\nFor #${work.issue}, run r1.`]);
  expect(await work.head()).not.toBe(seen.head.sha);
  expect(await desk.olivia.file('src/login.ts', seen.head.ref)).toBe('one\n');
  const { body } = await work.pull();
  expect(body).toContain(`✓ CI runs on \`${(await work.head()).slice(0, 7)}\`, requested by walter.`);
  expect(body).not.toContain('- [');
  // The check stands beside the newest commit.
  expect(await work.check()).toMatchObject({ status: 'completed', conclusion: 'action_required' });
});

test('has commits by somebody else on the branch: Run CI adds one, and theirs stay', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { head } = await work.pull();
  const theirs = await commitOnBranch(desk, head.ref, head.sha);
  await desk.perform({ type: 'run_ci', head: head.sha, pull: (await work.pull()).number });
  await desk.settle();
  await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
  const [newest, second, ...ours] = await work.messages();
  expect(newest).toBe('Run CI, asked by @walter');
  expect(second).not.toContain('[skip ci]');
  expect(ours).toEqual([expect.stringContaining('[skip ci]')]);
  expect(await work.head()).not.toBe(theirs);
  expect(await repliesOn((await work.pull()).number)).toEqual([
    expect.stringContaining('a squash can still skip it on `main`'),
  ]);
});

test('later work carries [skip ci] again, and the box comes back for it', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await actAndSettle(desk, 'pull_request', async () => desk.olivia.tickRunCi(await work.pull()));
  const before = await work.head();
  await putChangeset(desk, 'two\n');
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  expect(await work.messages()).toEqual([expect.stringContaining('[skip ci]')]);
  const { body, head } = await work.pull();
  expect(body).toMatch(BOX);
  expect(body).toContain(`id=ci.${head.sha} `);
  expect(head.sha).not.toBe(before);
});

test('work that is published again unchanged leaves the commit of Run CI where it is', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await actAndSettle(desk, 'pull_request', async () => desk.olivia.tickRunCi(await work.pull()));
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  expect(await work.messages()).toEqual([expect.not.stringContaining('[skip ci]')]);
  expect((await work.pull()).body).toContain('✓ CI runs on');
  expect(await work.check()).toMatchObject({ conclusion: 'neutral' });
});

test('R-8: the branch moved since the person looked: nothing runs, it is said, and the box is empty, for what is there now', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const seen = await work.pull();
  await putChangeset(desk, 'two\n');
  work.run.say('/guide Take any');
  await desk.seed(
    work.run
      .startJob()
      .beginTurn()
      .askForHelp([{ key: 'size' }])
      .park(),
  );
  const moved = await work.head();
  expect(moved).not.toBe(seen.head.sha);
  // As it stood on a page that was open all the time.
  await actAndSettle(desk, 'pull_request', () => desk.olivia.tickRunCi(seen));
  expect(await work.head()).toBe(moved);
  expect(await repliesOn(seen.number)).toEqual([expect.stringContaining('the branch has new commits')]);
  const { body } = await work.pull();
  expect(body).toMatch(BOX);
  expect(body).toContain(`id=ci.${moved} `);
});

test('R-2: a delivery that comes twice, or again after the answer to the commit was lost, makes one commit', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await actAndSettle(desk, 'pull_request', async () => desk.olivia.tickRunCi(await work.pull()));
  const once = await work.head();
  const delivery = desk.github.webhooks.deliveries.findLast(
    ({ payload }) => payload.action === 'edited' && (payload.sender as { login: string }).login === 'olivia',
  );
  if (!delivery) throw new Error('There was no edit.');
  desk.github.webhooks.emit(delivery.event, delivery.payload);
  await desk.settle();
  expect(await work.head()).toBe(once);
  // What we knew of it is lost; the commit is there.
  await desk.store.publications.change('r1', { ci: undefined });
  desk.github.webhooks.emit(delivery.event, delivery.payload);
  await desk.settle();
  expect(await work.head()).toBe(once);
  expect((await work.pull()).body).toContain('✓ CI runs on');
  expect(await repliesOn((await work.pull()).number)).toEqual([]);
});

test('R-2: a crash after the commit of Run CI: it is known as ours, so that later work goes to the same branch', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number, head } = await work.pull();
  const target = (await desk.store.runs.target('r1')) ?? expect.fail('no target');
  const github = await desk.deps.github(target);
  const crashing = {
    ...github,
    async reword(options: Parameters<typeof github.reword>[0]): ReturnType<typeof github.reword> {
      await github.reword(options);
      throw new Error('the process is gone');
    },
  };
  const { state } = await desk.store.runs.load('r1');
  if (!state) expect.fail('no state');
  const context = { deps: desk.deps, github: crashing, state, target, op: 'r1.ci' };
  await expect(runCi(context, { head: head.sha, pull: number, by: 'olivia' })).rejects.toThrow(
    'the process is gone',
  );
  expect(await work.head()).not.toBe(head.sha);
  await putChangeset(desk, 'two\n');
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  expect(await desk.olivia.file('src/login.ts', head.ref)).toBe('two\n');
  expect((await desk.olivia.comments(work.issue)).map((comment) => comment.body).join()).not.toContain(
    'has commits by somebody else',
  );
});

test('somebody who may not write is refused politely, once, and the box is emptied', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number, body, head } = await work.pull();
  // GitHub lets nobody edit who may not write; should it do so all the same, we look again.
  for (const again of [1, 2]) {
    const ticked = body.replace('- [ ]', '- [x]');
    await desk.github.upstream('PATCH', `/repos/olivia/shop/pulls/${number}`, { body: ticked });
    desk.github.webhooks.emit('pull_request', {
      ...desk.github.webhooks.deliveries.findLast(({ event }) => event === 'pull_request')?.payload,
      action: 'edited',
      changes: { body: { from: body } },
      pull_request: { number, body: ticked, head, updated_at: new Date(desk.clock.ms + again).toISOString() },
      sender: { login: 'rita', type: 'User' },
      again,
    });
    await desk.settle();
    expect((await work.pull()).body).toBe(body);
  }
  expect(await work.head()).toBe(head.sha);
  expect(await repliesOn(number)).toEqual([expect.stringContaining('require write access')]);
});

test('any other edit does nothing: other words, a new title, a box that is none of ours', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number, body, head } = await work.pull();
  const edits = [
    `${body}\n\nSee also the wiki.`,
    body.replace(BOX, '- [x] <!-- autobuild:option id=ci.main --> **Run CI on this branch**'),
    `${body}\n- [x] <!-- autobuild:option id=e1.accept --> accept`,
  ];
  for (const text of edits) {
    await actAndSettle(desk, 'pull_request', () => desk.olivia.describePullRequest(number, text));
  }
  await desk.github.callAs('olivia', 'PATCH', `/repos/olivia/shop/pulls/${number}`, { title: 'Other' });
  await desk.settle();
  expect(await work.head()).toBe(head.sha);
  expect((await desk.state()).status).toBe('waiting_for_input');
  expect(await repliesOn(number)).toEqual([]);
});

test('what people wrote below our last line stays, also when GitHub stores it with other line ends', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number, body } = await work.pull();
  await actAndSettle(desk, 'pull_request', () =>
    desk.olivia.describePullRequest(number, `${body}\n\nSee also the wiki.`.replaceAll('\n', '\r\n')),
  );
  await actAndSettle(desk, 'pull_request', async () => desk.olivia.tickRunCi(await work.pull()));
  const after = (await work.pull()).body;
  expect(after).toContain('✓ CI runs on');
  expect(after).toMatch(/<\/sub>\n\nSee also the wiki\.$/);
});

test('where the config lets CI always run there is no box, and no [skip ci]', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk, { target: { ci: 'always' } });
  expect((await work.pull()).body).not.toContain('- [');
  expect((await work.messages())[0]).not.toContain('skip ci');
});
