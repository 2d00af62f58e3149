import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../../src/core/contracts/agent/agent-event.ts';
import { EventBacklog } from '../../../../src/runner/job/turn/event-backlog.ts';
import { TurnQueue } from '../../../../src/runner/job/turn/turn-queue.ts';

function openBacklog() {
  const log: string[] = [];
  const turn = { isOver: false };
  const queue = new TurnQueue(async () => undefined);
  const backlog = new EventBacklog({
    handle: async (event) => {
      log.push(event.type === 'session' ? event.id : event.type);
    },
    enqueue: (work) => queue.add(work),
    isOver: () => turn.isOver,
    output: { pauseOutput: () => log.push('pause'), resumeOutput: () => log.push('resume') },
  });
  const addMany = (count: number) => {
    for (let n = 0; n < count; n += 1) backlog.add({ type: 'session', id: `${n}` } as AgentEvent);
  };
  return { log, turn, queue, addMany };
}

test('events are handled in order, and other work of the turn is done after at most 100 of them', async () => {
  const { log, queue, addMany } = openBacklog();
  addMany(250);
  queue.add(async () => {
    log.push('clock');
  });
  await queue.drain();
  expect(log.indexOf('clock')).toBe(100);
  const handled = log.filter((entry) => /^\d/.test(entry));
  expect(handled).toEqual(Array.from({ length: 250 }, (_, n) => `${n}`));
});

test('the output is paused above 1,000 waiting events, and resumed once fewer than 100 wait', async () => {
  const { log, queue, addMany } = openBacklog();
  addMany(1_000);
  expect(log).toEqual([]);
  addMany(1);
  expect(log).toEqual(['pause']);
  await queue.drain();
  // 1,001 events: after the tenth hundred one waits.
  expect(log.indexOf('resume')).toBe(1 + 1_000);
});

test('once the turn is over, waiting events are dropped and new ones are not added', async () => {
  const { log, turn, queue, addMany } = openBacklog();
  addMany(300);
  turn.isOver = true;
  addMany(5);
  await queue.drain();
  expect(log.filter((entry) => entry !== 'resume')).toEqual([]);
});
