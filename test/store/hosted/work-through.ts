import { setImmediate as later } from 'node:timers/promises';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';

export interface Worked {
  id: string;
  lane: string;
  /** Of the one clock that all processes of a machine share. */
  from: string;
  to: string;
}

const LEASE_MS = 60_000;

/** Several workers until the inbox is empty; what each did, and when. */
export async function workInbox({ inbox }: HostedStore, workers: number): Promise<Worked[]> {
  return workThrough(workers, async (worked) => {
    const item = await inbox.claim(LEASE_MS);
    if (!item) {
      const { waiting, busy } = await inbox.size();
      return waiting + busy > 0;
    }
    const times = await takeTime();
    if (await inbox.done(item)) worked.push({ id: item.id, lane: item.lane, ...times });
    return true;
  });
}

/** Several workers until the outbox is empty, each with one lane at a time. */
export async function workOutbox({ outbox }: HostedStore, workers: number): Promise<Worked[]> {
  return workThrough(workers, async (worked) => {
    const lease = await outbox.claim(LEASE_MS);
    if (!lease) return (await outbox.size()).waiting > 0;
    for (;;) {
      const item = await outbox.next(lease);
      if (!item) break;
      const times = await takeTime();
      if (await outbox.done(lease, item.id)) worked.push({ id: item.id, lane: item.lane, ...times });
    }
    await outbox.release(lease);
    return true;
  });
}

async function workThrough(workers: number, step: (worked: Worked[]) => Promise<boolean>): Promise<Worked[]> {
  const worked: Worked[] = [];
  const work = async () => {
    // SQLite answers at once, so a worker without work would never let another go on.
    while (await step(worked)) await later();
  };
  await Promise.all(Array.from({ length: workers }, work));
  return worked;
}

async function takeTime(): Promise<{ from: string; to: string }> {
  const from = String(process.hrtime.bigint());
  for (let turn = 0; turn < 3; turn += 1) await later();
  return { from, to: String(process.hrtime.bigint()) };
}
