import type { Process } from './world.ts';

/** another desk continues within this time. */
const CONTINUED_MS = 60_000;
/** Desks look for work that often. */
const LOOK_MS = 1_000;

interface Lease {
  name: string;
  process: Process;
  until: number;
}

/** Which desk has what for how long, and notices what stays taken after its desk was killed. */
export class LeaseWatch {
  readonly #broken: string[];
  readonly #leases = new Map<string, Lease>();

  constructor(broken: string[]) {
    this.#broken = broken;
  }

  /** To be called after each call of the store, in the order they took effect. */
  called(process: Process, name: string, args: readonly unknown[], result: unknown, now: number): void {
    if (!result && name !== 'outbox.release') return;
    const take = (key: string, ms: unknown) =>
      this.#leases.set(key, { name: key, process, until: now + Number(ms) });
    const fenceOf = (item: unknown) => (item as { fence: string }).fence;
    switch (name) {
      case 'outbox.claim':
      case 'inbox.claim':
        return void take(fenceOf(result), args[0]);
      case 'outbox.renew':
      case 'inbox.renew':
        return void take(fenceOf(args[0]), args[1]);
      case 'leaseTask':
        return void take(`${args[0]} ${args[1]}`, args[2]);
      case 'outbox.release':
      case 'inbox.done':
      case 'inbox.retry':
      case 'inbox.bury':
        this.#leases.delete(fenceOf(args[0]));
    }
  }

  killed(process: Process, now: number): void {
    for (const [key, { name, until, process: holder }] of this.#leases) {
      if (holder !== process) continue;
      this.#leases.delete(key);
      if (until - now > CONTINUED_MS - LOOK_MS)
        this.#broken.push(`R-3: ${name} stays taken for ${until - now} ms after ${process.name} was killed`);
    }
  }
}
