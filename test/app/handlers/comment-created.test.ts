import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

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
