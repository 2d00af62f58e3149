import { afterEach, beforeEach, expect, test } from 'vitest';
import { PASSING, startRun } from '../core/run-builder.ts';
import { openTestDesk, type TestDesk } from '../web/desk.ts';
import { callJobApi, claimJob, workOf } from '../web/job-call.ts';

let desk: TestDesk;
beforeEach(async () => {
  desk = await openTestDesk();
});
afterEach(() => desk.close());

test.each([
  'https://api.example.com/v2/items?limit=10',
  'olivia+shop@example.com',
  'v1.2.3-beta4',
  'Good morning! Welcome (open 9-17)',
])('S-13: complete work that uses %j, which is no secret, is verified, and texts name it', async (value) => {
  const run = startRun({ freshVerification: true }).beginTurn();
  run.askForHelp([{ key: 'text', label: 'What the page shows' }]);
  const ref = await desk.store.vault.put('r1', 'text', value);
  const command = { name: 'provide' as const, inputs: { text: { ref, length: value.length } } };
  run.feed({ type: 'command', at: run.now(), command, by: 'olivia', via: 'form' });
  run.beginTurn();
  await desk.seed(run);
  const token = String((await claimJob(desk, await desk.ticket())).json.token);
  const body = workOf(`export const text = ${JSON.stringify(value)};\n`);
  expect((await callJobApi(desk, 'PUT', '/blobs/changeset', { token, body })).status).toBe(200);
  run.endTurn({
    report: { status: 'implemented', summary: `The page shows ${value}` },
    verification: PASSING,
  });
  const { input } = run.commits.at(-1) ?? {};
  if (input?.type !== 'claim') throw new Error('the last input is no claim');
  const answer = await callJobApi(desk, 'POST', '/report', { token, json: input.envelope });
  expect(answer.status).toBe(200);
  const { state } = await desk.store.runs.load('r1');
  expect(state).toMatchObject({ verifying: 1 });
  expect(state?.turns.at(-1)?.title).toBe(`The page shows ${value}`);
});
