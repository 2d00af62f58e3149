import { expect, onTestFinished, test, vi } from 'vitest';
import type { Orders } from '../../../src/core/contracts/orders.ts';
import type { Job } from '../../../src/runner/job/job.ts';
import { waitForAnswer, waitForOrders } from '../../../src/runner/job/wait-for-answer.ts';
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

/** A job whose link says nothing until its signal aborts. */
function silentJob(holdMs: number): Job {
  const ordersAfterWait = async (signal: AbortSignal) => {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return WAIT;
  };
  return {
    link: { ordersAfterWait },
    settings: { holdMs },
    parking: new AbortController().signal,
  } as unknown as Job;
}

/** Timers of other tests in this process may end at any time, so only those that were made meanwhile are looked at. */
function watchTimers() {
  const made = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => void made.mockRestore());
  return () => made.mock.results.filter(({ value }) => keepsProcess(value as NodeJS.Timeout)).length;
}

/** Whether it is still due, and not `unref`ed. */
function keepsProcess(timer: NodeJS.Timeout): boolean {
  return timer.hasRef() && !(timer as unknown as { _destroyed: boolean })._destroyed;
}

test('N-3: where nobody can answer a running job, a question is not waited for', async () => {
  const timers = watchTimers();
  const orders = waitForOrders(silentJob(0));
  expect(timers()).toBe(0);
  expect(await orders).toEqual(WAIT);
});

test('N-3: while a question is held the process stays, though nothing else keeps it', async () => {
  const timers = watchTimers();
  const orders = waitForOrders(silentJob(40));
  expect(timers()).toBe(1);
  expect(await orders).toEqual(WAIT);
  expect(timers()).toBe(0);
});

test('N-3: an answer that comes in time leaves no timer behind', async () => {
  const timers = watchTimers();
  const job = { ...silentJob(60_000), link: { ordersAfterWait: async () => WAIT } } as unknown as Job;
  expect(await waitForOrders(job)).toEqual(WAIT);
  expect(timers()).toBe(0);
});
