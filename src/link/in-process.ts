import type { Orders } from '../core/contracts/orders.ts';
import type { Desk } from '../core/decide/desk.ts';
import { ordersFor } from '../core/decide/orders/orders-for.ts';
import type { Link, Vault } from '../core/ports/ports.ts';

/** The link when desk and job are one process, as in `autobuild run` at a terminal. */
export function createInProcessLink(desk: Desk, run: string, vault: Vault): Link & { changed(): void } {
  const sleepers = new Set<() => void>();
  let changes = 0;
  const orders = async (): Promise<Orders> => ordersFor(await desk.state(run));
  const nextChange = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        sleepers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      sleepers.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  return {
    orders,
    async report(envelope) {
      return ordersFor(await desk.handleOnce(run, { type: 'claim', envelope }));
    },
    async ordersAfterWait(signal) {
      for (;;) {
        const seen = changes;
        const present = await orders();
        if (present.do !== 'wait' || signal.aborted) return present;
        // A change made while the orders were read woke nobody, so it is detected by the counter.
        if (seen === changes) await nextChange(signal);
      }
    },
    openInputs: (refs) => vault.open(run, refs),
    /** Must be called whenever the run's journal grew. */
    changed() {
      changes += 1;
      for (const wake of [...sleepers]) wake();
    },
  };
}
