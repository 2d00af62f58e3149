import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { changeSecond } from '../change-second.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const MINUTE_MS = 60_000;
const commentOf = async (issue: number, kind: string) =>
  (await desk.olivia.comments(issue)).find(({ body }) => body.includes(`:${kind} `));

async function changeUnheard(act: () => Promise<unknown>): Promise<void> {
  await changeSecond();
  desk.loseWebhooks(true);
  await act();
  await desk.settle();
  desk.loseWebhooks(false);
}

/** Somebody was writing it at that moment, and records only now what was written before. */
function recordLate(): { times: number } {
  const { comments, publications, runs } = desk.store;
  const late = { times: 0 };
  const { commit } = runs;
  runs.commit = async (run, version, decision) => {
    const { unwritten } = decision;
    if (!unwritten || late.times > 0) return commit(run, version, decision);
    const { label } = await publications.of(run);
    const known = unwritten === 'label' ? undefined : await comments.find(unwritten.comment);
    const done = await commit(run, version, decision);
    late.times += 1;
    if (known) await comments.save(known.op, { body_hash: known.body_hash });
    else await publications.change(run, { label });
    return done;
  };
  return late;
}

const reword = async (issue: number, kind: string) => {
  const comment = (await commentOf(issue, kind)) ?? expect.fail(`no ${kind}`);
  await desk.person('walter').edit(comment, `${comment.body}\nReworded.`);
};
const remove = async (issue: number, kind: string) => {
  const id = (await commentOf(issue, kind))?.id;
  await desk.github.callAs('olivia', 'DELETE', `/repos/olivia/shop/issues/comments/${id}`);
};

test.each([
  ['reworded status', (issue: number) => reword(issue, 'status')],
  ['reworded question', (issue: number) => reword(issue, 'escalation')],
  ['deleted status', (issue: number) => remove(issue, 'status')],
  ['deleted question', (issue: number) => remove(issue, 'escalation')],
  ['removed label', (issue: number) => desk.olivia.unlabel(issue, 'autobuild:waiting')],
])(
  'R-13: a %s comes back, though a desk that was writing it recorded that only afterwards',
  async (_, act) => {
    desk = await openAppDesk();
    const { issue } = await desk.seed(askingRun(['colour']));
    // Everything that was put off is written, so that nothing else writes the status again.
    desk.clock.ms += 3 * MINUTE_MS;
    await desk.settle();
    for (let time = 0; time < 2; time += 1) {
      desk.clock.ms += 2 * MINUTE_MS;
      await desk.reconcile();
    }
    const [status, question] = [await commentOf(issue, 'status'), await commentOf(issue, 'escalation')];
    await changeUnheard(() => act(issue));
    const late = recordLate();
    for (let time = 0; time < 3; time += 1) {
      desk.clock.ms += MINUTE_MS;
      await desk.reconcile();
    }
    expect(late.times).toBe(1);
    expect((await commentOf(issue, 'escalation'))?.body).toBe(question?.body);
    expect((await commentOf(issue, 'status'))?.body.split('\n')[1]).toBe(status?.body.split('\n')[1]);
    expect((await commentOf(issue, 'status'))?.body).not.toContain('Reworded.');
    expect(await desk.olivia.labels(issue)).toContain('autobuild:waiting');
  },
);

test('R-13: a rewording that is told again after it was undone is left alone', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  await reword(issue, 'escalation');
  await desk.settle();
  const edited = desk.github.webhooks.deliveries.findLast(({ payload }) =>
    JSON.stringify(payload).includes('Reworded.'),
  );
  const { version } = await desk.store.runs.load('r1');
  desk.clock.ms += 2 * MINUTE_MS;
  await desk.receive(edited?.event ?? '', edited?.payload ?? {});
  expect((await desk.store.runs.load('r1')).version).toBe(version);
  expect((await commentOf(issue, 'escalation'))?.body).not.toContain('Reworded.');
});

const HOUR_MS = 3_600_000;

/** A run that waits, at the beginning of an hour, of which reconcile knows all. */
async function seedWaiting(): Promise<number> {
  desk = await openAppDesk();
  desk.clock.ms = Math.ceil(desk.clock.ms / HOUR_MS) * HOUR_MS;
  const reminders = { every_ms: 100 * HOUR_MS, high_every_ms: 100 * HOUR_MS };
  const { issue } = await desk.seed(askingRun(['colour'], { startMs: desk.clock.ms, reminders }));
  desk.clock.ms += 3 * MINUTE_MS;
  await desk.settle();
  for (let time = 0; time < 2; time += 1) {
    desk.clock.ms += 2 * MINUTE_MS;
    await desk.reconcile();
  }
  return issue;
}

test.each([
  ['deleted status', (issue: number) => remove(issue, 'status')],
  ['deleted question', (issue: number) => remove(issue, 'escalation')],
  ['removed label', (issue: number) => desk.olivia.unlabel(issue, 'autobuild:waiting')],
  ['reworded status', (issue: number) => reword(issue, 'status')],
])('R-14: a %s comes back ten times an hour, and again in the next one', async (_, act) => {
  const issue = await seedWaiting();
  const isThere = async () => {
    const comments = [await commentOf(issue, 'status'), await commentOf(issue, 'escalation')];
    const labels = await desk.olivia.labels(issue);
    const areOurs = comments.every((comment) => comment && !comment.body.includes('Reworded.'));
    return areOurs && labels.includes('autobuild:waiting');
  };
  let acts = 0;
  for (let time = 0; time < 12; time += 1) {
    await changeSecond();
    if (await isThere()) {
      acts += 1;
      await act(issue);
    }
    await desk.settle();
    desk.clock.ms += MINUTE_MS;
    await desk.reconcile();
  }
  expect([acts, await isThere()]).toEqual([11, false]);
  const before = desk.exchanges.length;
  for (let time = 0; time < 5; time += 1) {
    desk.clock.ms += MINUTE_MS;
    await desk.reconcile();
  }
  const counted = desk.exchanges
    .slice(before)
    .filter(({ call, answer }) => call.path.includes('/issues') && answer.status !== 304);
  expect(counted.map(({ call }) => `${call.method} ${call.path}`)).toEqual([]);
  desk.clock.ms += HOUR_MS;
  // The timer, and the effects of what it decides.
  for (let time = 0; time < 2; time += 1) await desk.settle();
  expect(await isThere()).toBe(true);
});

test('R-13: two desks that take the same turn for two edits restore the comment after both', async () => {
  const issue = await seedWaiting();
  const { runs } = desk.store;
  const { commit } = runs;
  let others = 0;
  runs.commit = async (run, version, decision) => {
    const turn = decision.seen?.find((key) => key.startsWith('restore-turn:'));
    if (turn === undefined || others > 0) return commit(run, version, decision);
    others += 1;
    await runs.remember(run, turn);
    return commit(run, version, decision);
  };
  await reword(issue, 'escalation');
  await desk.settle();
  expect(others).toBe(1);
  expect((await commentOf(issue, 'escalation'))?.body).not.toContain('Reworded.');
});
