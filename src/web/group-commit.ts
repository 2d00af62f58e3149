import { inTime } from '../core/in-time.ts';
import type { Delivery, Inbox } from '../core/ports/inbox.ts';

type Kept = 'fresh' | 'duplicate' | 'unavailable';

const GATHERING_ROUNDS = 5;

interface Queued {
  delivery: Delivery;
  settle(kept: Kept): void;
}

/**
 * Stores deliveries in batches, because a disk sync for each would be slow. A batch has the deliveries that arrived in the same
 * round of the event loop or while others were stored.
 */
export function createGroupCommit(deps: {
  inbox: Pick<Inbox, 'put'>;
  /** The most deliveries in one transaction. */
  maxBatch: number;
  /** With two, one batch is written while another waits for the disk. The store must keep their order. */
  batchesAtOnce: number;
  /** After this time the store counts as unavailable. */
  timeoutMs: number;
  onFailure(error: unknown, deliveries: number): void;
}): { put(delivery: Delivery): Promise<Kept>; size(): number } {
  const { inbox, maxBatch, batchesAtOnce, timeoutMs, onFailure } = deps;
  const queue: Queued[] = [];
  let isGathering = false;
  let batches = 0;

  /** Waits a few rounds of the event loop while more deliveries arrive, because bigger batches are cheaper. */
  const gather = async () => {
    for (let round = 0, before = -1; round < GATHERING_ROUNDS; round += 1) {
      if (queue.length === before || queue.length >= maxBatch) return;
      before = queue.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  const store = async (batch: Queued[]) => {
    try {
      const kept = await inTime(
        inbox.put(batch.map(({ delivery }) => delivery)),
        AbortSignal.timeout(timeoutMs),
        () => {
          throw new Error(`The store did not answer for ${timeoutMs} ms.`);
        },
      );
      batch.forEach(({ settle }, index) => {
        settle(kept[index] ?? 'unavailable');
      });
    } catch (error) {
      onFailure(error, batch.length);
      for (const { settle } of batch) settle('unavailable');
    }
  };

  const flush = async () => {
    while (queue.length > 0 && !isGathering && batches < batchesAtOnce) {
      isGathering = true;
      await gather();
      isGathering = false;
      batches += 1;
      void store(queue.splice(0, maxBatch)).then(() => {
        batches -= 1;
        void flush();
      });
    }
  };

  return {
    size: () => queue.length,
    put: (delivery) =>
      new Promise((settle) => {
        queue.push({ delivery, settle });
        void flush();
      }),
  };
}
