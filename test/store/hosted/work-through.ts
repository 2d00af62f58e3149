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
export async function workThrough(store: HostedStore, workers: number, now: string): Promise<Worked[]> {
  const worked: Worked[] = [];
  const work = async () => {
    for (;;) {
      const item = await store.inbox.claim(now, LEASE_MS);
      if (!item) {
        const { waiting, busy } = await store.inbox.size();
        if (waiting + busy === 0) return;
        continue;
      }
      const from = String(process.hrtime.bigint());
      for (let turn = 0; turn < 3; turn += 1) await later();
      const to = String(process.hrtime.bigint());
      if (await store.inbox.done(item)) worked.push({ id: item.id, lane: item.lane, from, to });
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return worked;
}
