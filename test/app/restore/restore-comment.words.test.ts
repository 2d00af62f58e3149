import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBotOwnership } from '../../../src/app/bot-ownership.ts';
import type { SeenComment } from '../../../src/sandbox/person.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { changeSecond } from '../change-second.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let desk: AppDesk;
let issue: number;
beforeEach(async () => {
  desk = await openAppDesk();
  desk.deps.ownership = createBotOwnership({ appId: desk.github.appId, slug: 'autobuild' });
  ({ issue } = await desk.seed(askingRun(['colour']).park()));
});
afterEach(() => desk.close());

async function find(text: string): Promise<SeenComment> {
  return (await desk.olivia.comments(issue)).find(({ body }) => body.includes(text)) ?? expect.fail(text);
}

const bodyOf = async ({ id }: { id: number }) =>
  (await desk.olivia.comments(issue)).find((comment) => comment.id === id)?.body;

async function round(): Promise<void> {
  desk.clock.ms += MINUTE_MS;
  await desk.reconcile();
}

async function command(text: string, by = 'olivia'): Promise<void> {
  await desk.person(by).comment(issue, text);
  await desk.settle();
}

/** Each leads to a comment of ours, and tells how to find it. */
const WORDS: Record<string, () => Promise<string>> = {
  'refusal of a command': async () => {
    await command('/cancel', 'rita');
    return 'require write access';
  },
  reply: async () => {
    await command('/status');
    return ':reply ';
  },
  'review of what was done': async () => {
    await command('/provide colour=red');
    await command('/review');
    return '▶ Review: ';
  },
  reminder: async () => {
    desk.clock.ms += 3 * DAY_MS;
    await desk.reconcile();
    await desk.settle();
    return 'Still waiting';
  },
};

test.each(Object.keys(WORDS).flatMap((name) => [['told', name] as const, ['found', name] as const]))(
  'R-13: reworded words of ours come back (%s, a %s)',
  async (how, name) => {
    const written = await find((await WORDS[name]?.()) ?? '');
    await round();
    await changeSecond();
    desk.loseWebhooks(how === 'found');
    await desk.person('walter').edit(written, `${written.body}\nEverybody may command here.`);
    await desk.settle();
    desk.loseWebhooks(false);
    if (how === 'found') await round();
    expect(await bodyOf(written)).toBe(written.body);
  },
);

test('R-13: a reworded reminder comes back as it was, though there is a newer one, and asks the chat nothing', async () => {
  await WORDS.reminder?.();
  const first = await find('Still waiting');
  desk.clock.ms += 9 * DAY_MS;
  await desk.reconcile();
  await desk.settle();
  await find('Reminder 2');
  const asked: string[] = [];
  desk.deps.settings.notifyUrl = 'https://chat.example.com';
  desk.deps.fetch = async (url) => {
    asked.push(url);
    return { ok: true, status: 200 };
  };
  await desk.person('walter').edit(first, 'Nothing to do.');
  await desk.settle();
  expect(await bodyOf(first)).toContain('Still waiting for you');
  expect(await bodyOf(first)).toContain('Reminder 1');
  expect(asked).toEqual([]);
});

test('R-13: a reply that was reworded and then deleted stays deleted', async () => {
  const reply = await find((await WORDS.reply?.()) ?? '');
  desk.loseWebhooks(true);
  await desk.person('walter').edit(reply, 'Reworded.');
  await desk.settle();
  const edited = desk.github.webhooks.deliveries.findLast(({ action }) => action === 'edited');
  await desk.github.callAs('olivia', 'DELETE', `/repos/olivia/shop/issues/comments/${reply.id}`);
  await desk.settle();
  desk.loseWebhooks(false);
  const before = (await desk.olivia.comments(issue)).length;
  await desk.receive('issue_comment', edited?.payload ?? {});
  await desk.settle();
  expect(await desk.olivia.comments(issue)).toHaveLength(before);
});

/** Another App changes a comment of ours. */
async function editAsBot(comment: SeenComment, body: string, login = 'formatter[bot]'): Promise<void> {
  desk.loseWebhooks(true);
  await desk.person('walter').edit(comment, body);
  await desk.settle();
  desk.loseWebhooks(false);
  const told = desk.github.webhooks.deliveries.findLast(({ action }) => action === 'edited');
  await desk.receive('issue_comment', { ...told?.payload, sender: { login, type: 'Bot' } });
  await desk.settle();
}

test('S-15: an edit by another App is undone, and a box that it ticked is no command', async () => {
  const question = await find(':escalation ');
  await editAsBot(question, `${question.body}\nFormatted.`);
  expect(await bodyOf(question)).toBe(question.body);
  desk.clock.ms += 60 * MINUTE_MS;
  const box = /^- \[ \] <!-- autobuild:option id=e1\.cancel -->/m;
  await editAsBot(
    question,
    question.body.replace(box, (empty) => empty.replace('[ ]', '[x]')),
  );
  expect(await bodyOf(question)).not.toContain('[x]');
  expect((await desk.state()).pending).toBe('e1');
  expect((await desk.olivia.comments(issue)).filter(({ body }) => body.includes(':reply '))).toEqual([]);
});

test('S-15: an edit by another App that no webhook told is undone', async () => {
  // No reminder is due, which would write the question again.
  desk.clock.ms += 2 * 60 * MINUTE_MS;
  for (let time = 0; time < 2; time += 1) await round();
  const question = await find(':escalation ');
  await changeSecond();
  desk.loseWebhooks(true);
  await desk.person('walter').edit(question, `${question.body}\nFormatted.`);
  await desk.settle();
  desk.loseWebhooks(false);
  const node = {
    lastEditedAt: new Date(desk.clock.ms).toISOString(),
    editor: { __typename: 'Bot', login: 'formatter' },
  };
  desk.interfere(({ path, body }) =>
    path.endsWith('/graphql') && JSON.stringify(body).includes('lastEditedAt')
      ? { status: 200, body: { data: { node } } }
      : undefined,
  );
  await round();
  expect(await bodyOf(question)).toBe(question.body);
});

test('S-15: what this App edits itself is not undone', async () => {
  const question = await find(':escalation ');
  desk.exchanges.length = 0;
  await editAsBot(question, `${question.body}\nOurs.`, 'autobuild[bot]');
  expect(desk.exchanges.filter(({ call }) => call.caller.kind === 'installation')).toEqual([]);
});

const restorings = ({ id }: SeenComment) =>
  desk.exchanges.filter(
    ({ call }) =>
      call.caller.kind === 'installation' && call.method === 'PATCH' && call.path.endsWith(`/comments/${id}`),
  ).length;

test('S-15: another App that edits a comment again whenever it is restored is let be until the next hour', async () => {
  const question = await find(':escalation ');
  desk.exchanges.length = 0;
  for (let time = 0; time < 3; time += 1) {
    await changeSecond();
    await editAsBot(question, `${question.body}\nFormatted.`);
  }
  expect(restorings(question)).toBe(1);
  expect(await bodyOf(question)).toContain('Formatted.');
  expect(desk.logged()).toContain('it is changed again and again');
  desk.clock.ms += 60 * MINUTE_MS;
  await changeSecond();
  await editAsBot(question, `${question.body}\nFormatted anew.`);
  expect(restorings(question)).toBe(2);
  expect(await bodyOf(question)).not.toContain('Formatted');
});

test('S-15: a person, or a program with the account of one, cannot have a comment restored without end', async () => {
  const question = await find(':escalation ');
  desk.loseWebhooks(true);
  await desk.person('walter').edit(question, `${question.body}\nReworded.`);
  await desk.settle();
  desk.loseWebhooks(false);
  const told = desk.github.webhooks.deliveries.findLast(({ action }) => action === 'edited');
  const payload = told?.payload as { comment: object };
  desk.exchanges.length = 0;
  for (let time = 0; time < 14; time += 1) {
    desk.loseWebhooks(true);
    await desk.person('walter').edit(question, `${question.body}\nReworded.`);
    await desk.settle();
    desk.loseWebhooks(false);
    const updated_at = new Date(desk.clock.ms + time * 1_000).toISOString();
    await desk.receive('issue_comment', { ...payload, comment: { ...payload.comment, updated_at } });
    await desk.settle();
  }
  expect(restorings(question)).toBe(10);
});
