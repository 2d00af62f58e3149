import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk } from './app-desk.ts';
import { changeSecond } from './change-second.ts';

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
  const { comments, publications } = desk.store;
  const late = { times: 0 };
  const { save } = comments;
  comments.save = async (op, change) => {
    const known = await comments.find(op);
    const saved = await save(op, change);
    if (change.body_hash !== '' || late.times > 0) return saved;
    late.times += 1;
    return save(op, { body_hash: known?.body_hash });
  };
  const { change } = publications;
  publications.change = async (run, changed) => {
    const { label } = await publications.of(run);
    await change(run, changed);
    if (changed.label !== '' || late.times > 0) return;
    late.times += 1;
    await change(run, { label });
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
