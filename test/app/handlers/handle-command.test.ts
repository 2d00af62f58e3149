import { afterEach, expect, test } from 'vitest';
import { refuse } from '../../../src/sandbox/github/gap.ts';
import { outOfScope } from '../../core/stuck-runs.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const replies = async (issue: number) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => body.includes(':reply ')).map(({ body }) => body);

test('C-4: a command the config gives to triagers is theirs; the others stay with writers', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']), { roles: { cancel: 'triage' } });
  const tina = desk.person('tina');
  await tina.comment(issue, '/provide colour=red');
  await desk.settle();
  expect((await desk.state()).status).toBe('waiting_for_input');
  await desk.person('rita').comment(issue, '/cancel');
  await desk.settle();
  expect((await desk.state()).status).toBe('waiting_for_input');
  await tina.comment(issue, '/cancel');
  await desk.settle();
  expect(await desk.state()).toMatchObject({ status: 'cancelled', finished: { by: 'tina' } });
});

test('C-4: a command that needs more than write is refused with the role it needs, once per role', async () => {
  desk = await openAppDesk();
  const roles = { accept: 'admin', override: 'admin', approve: 'maintain' } as const;
  const { issue } = await desk.seed(askingRun(['colour']), { roles });
  const walter = desk.person('walter');
  for (const text of ['/accept', '/override Do it so', '/approve files=30']) {
    const comment = await walter.comment(issue, text);
    await desk.settle();
    expect(desk.github.reactions.of(comment.id).map(({ content }) => content)).toEqual(['confused']);
  }
  expect((await desk.state()).pending).toBe('e1');
  const question = (await desk.olivia.comments(issue)).find(({ body }) => body.includes(':escalation '));
  expect(question?.body).toContain('Anyone with write access can answer; `/accept` requires the admin role.');
  const told = await replies(issue);
  expect(told).toHaveLength(2);
  expect(told[0]).toContain('/accept requires the admin role');
  expect(told[1]).toContain('/approve requires the maintain role');
  await walter.comment(issue, '/provide colour=red');
  await desk.settle();
  expect((await desk.state()).status).toBe('building');
});

test('C-3: a ticked box needs the same role as the command it stands for', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']), { roles: { cancel: 'admin' } });
  const question = async () => {
    const comments = await desk.olivia.comments(issue);
    return comments.find(({ body }) => body.includes(':escalation ')) ?? expect.fail('no question');
  };
  await desk.person('walter').tick(await question(), 'cancel');
  await desk.settle();
  expect((await desk.state()).status).toBe('waiting_for_input');
  expect((await question()).body).not.toContain('- [x]');
  await desk.olivia.tick(await question(), 'cancel');
  await desk.settle();
  expect((await desk.state()).status).toBe('cancelled');
});

test('a reaction that GitHub refuses does not stop the command', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  let refused = 0;
  desk.interfere(({ method, path }) => {
    if (method !== 'POST' || !path.endsWith('/reactions')) return undefined;
    refused += 1;
    return refuse(403, 'Resource not accessible by integration');
  });
  await desk.olivia.comment(issue, '/provide colour=red');
  await desk.settle();
  expect((await desk.state()).status).toBe('building');
  expect(refused).toBe(2);
  expect(desk.logged()).toContain('a reaction could not be set');
  await desk.person('rita').comment(issue, '/cancel');
  await desk.person('walter').comment(issue, '/no-such-command');
  await desk.settle();
  expect(await replies(issue)).toHaveLength(2);
});

test('R-2: a refusal whose comment GitHub did not take is written later, once, however often its delivery comes', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  await desk.person('rita').comment(issue, '/cancel');
  const delivery = desk.github.webhooks.deliveries.at(-1) ?? expect.fail('no delivery');
  let failing = true;
  desk.interfere(({ method, path }) =>
    failing && method === 'POST' && path.endsWith(`/issues/${issue}/comments`)
      ? refuse(502, 'Bad gateway')
      : undefined,
  );
  await desk.settle();
  failing = false;
  expect(await replies(issue)).toEqual([]);
  desk.clock.ms += 60_000;
  for (let again = 0; again < 2; again += 1)
    await desk.receive(delivery.event, delivery.payload, delivery.id);
  await desk.settle();
  expect(await replies(issue)).toEqual([expect.stringContaining('commands require write access')]);
});

test('R-3: a refusal is said, though the desk was killed after any write of it', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  desk.loseWebhooks(true);
  const comment = await desk.person('tina').comment(issue, '/provide colour=red');
  await desk.settle();
  const { runs } = desk.store;
  const { commit } = runs;
  let commits = 0;
  runs.commit = (...args) => {
    commits += 1;
    return commits === 1 ? commit(...args) : Promise.reject(new Error('killed'));
  };
  await desk.reconcile();
  runs.commit = commit;
  for (let time = 0; time < 2; time += 1) await desk.reconcile();
  expect(await replies(issue)).toHaveLength(1);
  expect(desk.github.reactions.of(comment.id).map(({ content }) => content)).toEqual(['confused']);
});

test('E-10: paths that cannot be read are answered with those of the open question, or with no line at all', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(outOfScope());
  await desk.olivia.comment(issue, '/approve paths=/src/payment/pay.ts');
  await desk.settle();
  expect((await replies(issue)).at(-1)).toContain('/approve paths=src/payment/pay.ts\n');
  await desk.olivia.comment(issue, '/approve');
  await desk.settle();
  expect((await desk.state()).pending).toBeUndefined();
  await desk.olivia.comment(issue, '/approve paths=/src/payment/pay.ts');
  await desk.settle();
  const reply = (await replies(issue)).at(-1);
  expect(reply).toContain('Paths must be inside the repository');
  expect(reply).toContain('Put one with spaces in quotes');
  expect(reply).not.toContain('```');
});
