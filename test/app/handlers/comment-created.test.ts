import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

const DAY_MS = 24 * 3_600_000;

let desk: AppDesk;
afterEach(() => desk?.close());

test('C-4: /provide in a comment resumes the run: 👀, 🚀, the question closed', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const given = await desk.olivia.comment(issue, '/provide colour=red');
  await desk.settle();
  expect((await desk.state()).status).toBe('building');
  expect(desk.github.reactions.of(given.id).map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  const [question] = (await desk.olivia.comments(issue)).filter(({ body }) => body.includes(':escalation '));
  expect(question?.body).toContain('Answered');
});

test('C-4: only people with write access command; the others are refused politely, once', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  for (const login of ['rita', 'tina', 'rita']) {
    await desk.person(login).comment(issue, '/cancel');
    await desk.settle();
  }
  expect((await desk.state()).status).toBe('waiting_for_input');
  const refusals = (await desk.olivia.comments(issue)).filter(({ body }) => body.includes('write access'));
  expect(refusals.filter(({ body }) => body.includes(':reply '))).toHaveLength(2);
});

test('R-1: with every webhook lost, the command is found and acted on once', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  desk.loseWebhooks(true);
  await desk.olivia.comment(issue, '/provide colour=red');
  await desk.settle();
  expect((await desk.state()).status).toBe('waiting_for_input');
  await desk.reconcile();
  await desk.reconcile();
  const state = await desk.state();
  expect(state.status).toBe('building');
  expect(state.escalations[0]?.responses).toHaveLength(1);
});

test('S-15: a text without a command is edited into one: it stays none, however long the run waits', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']).park());
  const comment = await desk.olivia.comment(issue, 'Let me think about it.');
  await desk.settle();
  await desk.olivia.edit(comment, '/cancel');
  await desk.settle();
  await desk.reconcile();
  expect((await desk.state()).pending).toBe('e1');
  desk.clock.ms += 91 * DAY_MS;
  await desk.store.runs.prune(90 * DAY_MS);
  await desk.reconcile();
  desk.clock.ms += 60_000;
  await desk.reconcile();
  expect((await desk.state()).pending).toBe('e1');
});
