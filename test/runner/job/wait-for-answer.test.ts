import { expect, test } from 'vitest';
import type { Orders } from '../../../src/core/contracts/orders.ts';
import type { Job } from '../../../src/runner/job/job.ts';
import { waitForAnswer } from '../../../src/runner/job/wait-for-answer.ts';
import type { AgentExit, Supervised } from '../../../src/runner/process/supervise.ts';

const WAIT = { do: 'wait', escalation: 'e1' } as Orders;
const EXIT: AgentExit = { started: true, code: 0, signal: null, leftovers: 0 };

function holdAgent(parking: AbortSignal) {
  const said: string[] = [];
  const answer = Promise.withResolvers<Orders>();
  const exited = Promise.withResolvers<AgentExit>();
  const job = {
    link: { ordersAfterWait: () => answer.promise },
    settings: { holdMs: Number.POSITIVE_INFINITY },
    parking,
    async claim(type: string) {
      said.push(type);
      answer.resolve(WAIT);
      return WAIT;
    },
  } as unknown as Job;
  const agent = { exited: exited.promise } as Supervised;
  const orders = waitForAnswer(job, agent, { alive: true, onDeath: () => undefined });
  return { said, answer, exited, orders };
}

test('E-13: an agent that dies while a person is asked is told of', async () => {
  const { said, exited, orders } = holdAgent(new AbortController().signal);
  exited.resolve(EXIT);
  expect(await orders).toEqual(WAIT);
  expect(said).toEqual(['agent_died']);
});

test('E-13: one that ends on the way to a park has not died: nobody is asked again', async () => {
  const parking = new AbortController();
  const { said, answer, exited, orders } = holdAgent(parking.signal);
  parking.abort();
  exited.resolve(EXIT);
  await exited.promise;
  answer.resolve(WAIT);
  expect(await orders).toEqual(WAIT);
  expect(said).toEqual([]);
});
