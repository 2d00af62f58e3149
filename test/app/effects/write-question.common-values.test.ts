import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

const ASKED = { key: 'postgres_password', label: 'Password', secret: true };

let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk();
});
afterEach(() => desk.close());

test('P-1: the question for a value that is a part of its key names the key, and shows the value nowhere else', async () => {
  const run = startRun({ startMs: Date.now() - 60_000 })
    .beginTurn()
    .askForHelp([ASKED]);
  const { issue } = await desk.seed(run);
  const ref = await desk.store.vault.put('r1', ASKED.key, 'postgres');
  const command = { name: 'provide' as const, inputs: { [ASKED.key]: { ref, length: 8 } } };
  run.feed({ type: 'command', at: run.now(), command, by: 'olivia', via: 'form' });
  run.take().askForHelp([ASKED], 'Another password than postgres');
  await desk.seed(run);
  const question = (await desk.olivia.comments(issue)).findLast(({ body }) => body.includes('Another'));
  expect(question?.body).toContain('`postgres_password`');
  expect(question?.body).toContain('Another password than [redacted]');
});
