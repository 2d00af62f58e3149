import { expect, test } from 'vitest';
import { type Process, World } from './world.ts';

const limitOf = (world: World, process: Process, ms: number) => {
  const restore = world.replaceTimers();
  try {
    return world.as(process, () => AbortSignal.timeout(ms));
  } finally {
    restore();
  }
};

test('R-4: a time limit is one of the virtual clock, and that of a process that died never comes', async () => {
  const world = new World(1);
  const process: Process = { name: 'a desk', dead: false, stalledUntil: 0 };
  const other: Process = { ...process };
  const [limit, ofOther] = [limitOf(world, process, 5_000), limitOf(world, other, 5_000)];
  other.dead = true;
  await world.runFor(4_999);
  expect(limit.aborted).toBe(false);
  await world.runFor(1);
  expect([limit.aborted, ofOther.aborted]).toEqual([true, false]);
});
