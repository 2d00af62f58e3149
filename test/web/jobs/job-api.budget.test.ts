import { afterEach, expect, test } from 'vitest';
import { startRun } from '../../core/run-builder.ts';
import { openTestDesk, START, type TestDesk } from '../desk.ts';
import { callJobApi, claimJob } from '../job-call.ts';

let desk: TestDesk;
afterEach(() => desk?.close());

/** A turn that ends with this total cost, in a repository that may spend 5 dollars in a month. */
async function endTurn(cost_usd: number) {
  desk = await openTestDesk();
  const run = startRun({ startMs: START }).beginTurn();
  await desk.seed(run, { monthly_dollars: 5 });
  const token = String((await claimJob(desk, await desk.ticket())).json.token);
  run.usage = { input_tokens: 1, output_tokens: 1, cost_usd };
  run.endTurn();
  const input = run.commits.at(-1)?.input;
  const json = input?.type === 'claim' ? input.envelope : undefined;
  const answer = await callJobApi(desk, 'POST', '/report', { token, json });
  return { answer, state: (await desk.store.runs.load('r1')).state };
}

test('limits.monthly_dollars: the turn that reaches the budget is the last one, and its work is kept', async () => {
  const { answer, state } = await endTurn(5);
  expect(answer).toMatchObject({ status: 200, json: { orders: { do: 'park' } } });
  expect(state).toMatchObject({
    status: 'waiting_for_input',
    paused: { over_budget: '2026-11' },
    turns: [{ turn: 1 }],
  });
});

test('limits.monthly_dollars: below the budget the run goes on', async () => {
  const { answer, state } = await endTurn(4.99);
  expect(answer).toMatchObject({ status: 200, json: { orders: { do: 'work' } } });
  expect(state?.paused).toBeUndefined();
});
