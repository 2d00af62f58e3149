import { afterEach, expect, test } from 'vitest';
import { performEffect } from '../../../src/app/effects/perform-effect.ts';
import { onCommentEdited } from '../../../src/app/handlers/comment-edited.ts';
import type { Outgoing } from '../../../src/core/contracts/effect.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const DAY_MS = 24 * 3_600_000;
const INSTALLED = { installation_id: 100, owner: 'olivia', repo: 'shop' };
const find = async (issue: number, ...texts: string[]) => {
  const found = (await desk.olivia.comments(issue)).find(({ body }) =>
    texts.every((text) => body.includes(text)),
  );
  if (!found) throw new Error(`There is no comment with ${texts.join(', ')}.`);
  return found;
};

test('C-3: boxes of a review are emptied again after a refusal', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']);
  const { issue } = await desk.seed(run);
  run.say('/review');
  await desk.seed(run);
  const review = await find(issue, 'Review: ');
  await desk.olivia.tick(review, 'accept', 'cancel');
  await desk.settle();
  expect(await find(issue, 'Review: ')).toMatchObject({ id: review.id, body: review.body });
  expect((await desk.state()).status).toBe('waiting_for_input');
  await find(issue, 'two boxes were ticked at once');
});

test('C-3: a tick in a review answers; after that its boxes are gone', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']);
  const { issue } = await desk.seed(run);
  run.say('/review');
  await desk.seed(run);
  const review = await find(issue, 'Review: ');
  await desk.olivia.comment(issue, '/guide Take any');
  await desk.settle();
  // As it stood on a page that was open all the time.
  await desk.person('walter').tick(review, 'cancel');
  await desk.settle();
  await find(issue, 'olivia answered first');
  expect((await find(issue, 'Review: ')).body).not.toContain('- [');
  expect((await desk.state()).status).toBe('building');
});

const reword = (body: string) =>
  body.replace(/(?<=id=e1\.cancel --> )\*\*.*/, '**Accept current**: take what is there `/accept`');

test('S-15: a reworded box is put back, and answers nothing; so is one of a question that is closed', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const question = await find(issue, ':escalation ');
  expect(reword(question.body)).not.toBe(question.body);
  await desk.person('walter').edit(question, reword(question.body));
  await desk.settle();
  expect(await find(issue, ':escalation ')).toMatchObject({ id: question.id, body: question.body });
  expect((await desk.state()).pending).toBe('e1');
  await desk.olivia.comment(issue, '/guide Take any');
  await desk.settle();
  const answered = await find(issue, ':escalation ');
  await desk.person('walter').edit(answered, answered.body.replace('✓ Answered', '✗ Ignored'));
  await desk.settle();
  expect((await find(issue, ':escalation ')).body).toBe(answered.body);
});

test('S-15: a tick in a reworded, reordered list counts by the id of its box', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const question = await find(issue, ':escalation ');
  desk.loseWebhooks(true);
  const boxes = question.body.match(/^- \[ \] .*$/gm) ?? [];
  const reversed = boxes.toReversed();
  const reordered = question.body.replace(/^- \[ \] .*$/gm, () => reversed.shift() ?? '');
  await desk.person('walter').edit(question, reword(reordered));
  await desk.settle();
  desk.loseWebhooks(false);
  await desk.olivia.tick(await find(issue, ':escalation '), 'cancel');
  await desk.settle();
  expect(await desk.state()).toMatchObject({ status: 'cancelled', finished: { by: 'olivia' } });
  expect((await find(issue, ':escalation ')).body).not.toContain('Accept current**: take');
});

test('S-15: a rewording that is heard of late does not take away a tick that nobody has read', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const question = await find(issue, ':escalation ');
  await desk.person('walter').edit(question, reword(question.body));
  const late = desk.github.webhooks.deliveries.at(-1) ?? expect.fail('no edit');
  desk.loseWebhooks(true);
  await desk.olivia.tick(await find(issue, ':escalation '), 'cancel');
  await desk.settle();
  await desk.receive(late.event, late.payload);
  expect((await find(issue, ':escalation ')).body).toContain('- [x]');
  await desk.reconcile();
  expect(await desk.state()).toMatchObject({ status: 'cancelled', finished: { by: 'olivia' } });
});

test('R-13: a box whose command leaves the question open is emptied, and counts once', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const question = await find(issue, ':escalation ');
  await desk.olivia.tick(question, 'review');
  await desk.settle();
  expect((await find(issue, ':escalation ')).body).toBe(question.body);
  expect((await desk.waysOfCommands()).length).toBe(1);
  desk.loseWebhooks(true);
  await desk.person('walter').edit(question, reword(question.body));
  await desk.settle();
  await desk.reconcile();
  expect((await find(issue, ':escalation ')).body).toBe(question.body);
  expect((await desk.waysOfCommands()).length).toBe(1);
});

test('R-1: a box that was ticked right after one that leaves the question open is read before they are emptied', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const question = await find(issue, ':escalation ');
  desk.loseWebhooks(true);
  await desk.olivia.tick(question, 'review');
  const ticked = await find(issue, ':escalation ');
  await desk.olivia.tick(ticked, 'cancel');
  await desk.settle();
  const comment = { ...ticked, author: 'autobuild[bot]', author_type: 'Bot', app_id: desk.github.appId };
  const github = await desk.deps.github(INSTALLED);
  await onCommentEdited(desk.deps, github, { comment, before: question.body, login: 'olivia', issue });
  await desk.settle();
  expect(await desk.waysOfCommands()).toEqual(['tick']);
  expect((await find(issue, ':escalation ')).body.match(/- \[x\]/g)).toHaveLength(2);
});

test('R-13: a question that was reworded and ticked before its comment was known comes back', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const question = await find(issue, ':escalation ');
  desk.loseWebhooks(true);
  await desk.person('walter').edit(question, reword(question.body));
  await desk.olivia.tick(await find(issue, ':escalation '), 'review');
  await desk.settle();
  // As it is recorded when it is found by its marker.
  const { body } = await find(issue, ':escalation ');
  await desk.store.comments.save('r1.e1', { body_hash: desk.deps.hash(body) });
  await desk.reconcile();
  expect(await desk.waysOfCommands()).toEqual(['tick']);
  expect((await find(issue, ':escalation ')).body).toBe(question.body);
});

test('S-15: a ticked box that somebody wrote into another comment of ours goes', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const status = await find(issue, ':status ');
  const box = '- [x] <!-- autobuild:option id=e9.cancel --> **Accept**';
  await desk.person('walter').edit(status, `${status.body}\n${box}`);
  await desk.settle();
  expect((await find(issue, ':status ')).body).toBe(status.body);
});

test('S-15: a copy of the question by somebody else is no question, and stays as it is', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const question = await find(issue, ':escalation ');
  const copy = await desk.person('walter').comment(issue, question.body);
  await desk.person('walter').tick(copy, 'cancel');
  await desk.settle();
  expect((await desk.state()).pending).toBe('e1');
  const standing = (await desk.olivia.comments(issue)).find(({ id }) => id === copy.id);
  expect(standing?.body).toContain('- [x]');
});

test('C-3: a tick before we know of our own comment is not lost: its delivery is tried again', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const question = await find(issue, ':escalation ');
  const github = await desk.deps.github(INSTALLED);
  const edited = {
    comment: { ...asOurs(question), body: question.body.replace(/- \[ \](?= .*e1\.cancel)/, '- [x]') },
    before: question.body,
    login: 'olivia',
    issue,
  };
  // As if the answer to its creation were still on the way.
  await desk.store.comments.save('r1.e1', { comment_id: 999_999 });
  // Another comment is the question: what says so of itself is none.
  await onCommentEdited(desk.deps, github, edited);
  expect((await desk.state()).status).toBe('waiting_for_input');
  const fresh = openUnknown();
  await expect(onCommentEdited(fresh, github, edited)).rejects.toThrow('before its comment is known');
  // Not of ours, of another issue, of no run: nobody waits for it.
  const person = { author: 'walter', author_type: 'User', app_id: desk.github.appId };
  await onCommentEdited(fresh, github, { ...edited, comment: { ...edited.comment, ...person } });
  await onCommentEdited(fresh, github, { ...edited, comment: { ...edited.comment, app_id: 1 } });
  await onCommentEdited(fresh, github, { ...edited, issue: issue + 1 });
  const unmarked = { ...edited.comment, body: edited.comment.body.replace('run=r1', 'run=r9') };
  await onCommentEdited(fresh, github, { ...edited, comment: unmarked });
  await desk.store.comments.save('r1.e1', { comment_id: question.id });
  await onCommentEdited(desk.deps, github, edited);
  expect((await desk.state()).status).toBe('cancelled');
});

/** The same App, before the id of the comment was saved. */
function openUnknown(effects: Outgoing[] = [{ type: 'ask', escalation: 'e1' }]): AppDesk['deps'] {
  const { comments, outbox, ...store } = desk.store;
  const unknown = {
    ...comments,
    find: async (op: string) => ({ op, tried_at: desk.deps.now().toISOString() }),
    ofComment: async () => undefined,
  };
  const busy = { ...outbox, waiting: async () => effects };
  return { ...desk.deps, store: { ...store, comments: unknown, outbox: busy } };
}

test('R-1: a tick is not waited with for a comment that nothing will record any more, so it holds up no other webhook', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']);
  const { issue } = await desk.seed(run);
  run.say('/review');
  await desk.seed(run);
  const review = await find(issue, 'Review: ');
  await desk.olivia.comment(issue, '/guide Take any');
  await desk.settle();
  const edited = {
    comment: { ...asOurs(review), body: review.body.replace(/- \[ \](?= .*e1\.cancel)/, '- [x]') },
    before: review.body,
    login: 'walter',
    issue,
  };
  await onCommentEdited(openUnknown([]), await desk.deps.github(INSTALLED), edited);
  await desk.settle();
  await find(issue, 'olivia answered first');
});

const asOurs = ({ id, body, updated_at }: { id: number; body: string; updated_at: string }) => ({
  ...{ id, body, updated_at, author: 'autobuild[bot]', author_type: 'Bot', app_id: desk.github.appId },
});

test('R-2: a question that was ticked while the answer to its creation was lost is found, and its tick read', async () => {
  desk = await openAppDesk();
  const run = askingRun(['colour']);
  const { issue } = await desk.seed(run);
  const question = await find(issue, ':escalation ');
  desk.loseWebhooks(true);
  await desk.olivia.tick(question, 'cancel');
  await desk.settle();
  desk.loseWebhooks(false);
  // What was written is not known; the effect comes again.
  const { comments, ...store } = desk.store;
  const saved: string[] = [];
  const unknown = {
    ...comments,
    find: async (op: string) => ({ op, tried_at: new Date(desk.clock.ms).toISOString() }),
    save: async (op: string) => {
      saved.push(op);
      return { op, tried_at: '' };
    },
  };
  const deps = { ...desk.deps, store: { ...store, comments: unknown } };
  const effect = { type: 'ask', escalation: 'e1' } as const;
  await performEffect(deps, { id: 'again', run: 'r1', lane: 'test', effect, attempts: 2 });
  expect(new Set(saved)).toEqual(new Set(['r1.e1']));
  expect((await find(issue, ':escalation ')).body).toContain('- [x]');
  await desk.reconcile();
  expect((await desk.state()).status).toBe('cancelled');
});

test('S-15: an edit of a comment of ours gives no command when it is not in the records any more', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const asked = await find(issue, ':escalation ');
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  const question = await find(issue, ':escalation ');
  desk.clock.ms += 91 * DAY_MS;
  await desk.store.runs.prune(90 * DAY_MS);
  expect(await desk.store.comments.ofComment(question.id)).toBeUndefined();
  await desk.seed(askingRun(['size'], { run: 'r2', startMs: desk.clock.ms }).park(), { issue });
  for (const body of ['/cancel', asked.body.replaceAll('r1', 'r2').replaceAll('[ ]', '[x]')]) {
    await desk.olivia.edit(question, body);
    await desk.settle();
    desk.clock.ms += 60_000;
    await desk.reconcile();
  }
  expect((await desk.state('r2')).pending).toBe('e1');
});
