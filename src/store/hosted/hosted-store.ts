import { sql } from 'kysely';
import type { HostedStore } from '../../core/ports/hosted-store.ts';
import type { Sealer } from '../seal.ts';
import { asUnavailable } from '../unavailable.ts';
import { createBlobs } from './blobs.ts';
import { createCursors } from './cursors.ts';
import type { Database } from './database.ts';
import { createDispatches } from './dispatches.ts';
import { createInbox } from './inbox.ts';
import { createLabellings } from './labellings.ts';
import { createOutbox } from './outbox.ts';
import { createPublications } from './publications.ts';
import { createRuns } from './runs.ts';
import { createSealedVault } from './sealed-vault.ts';
import { createSentComments } from './sent-comments.ts';
import { createSessions } from './sessions.ts';
import { createSlots } from './slots.ts';
import { createSpending } from './spending.ts';
import { createTaskLeases } from './task-leases.ts';
import { createTickets } from './tickets.ts';
import { createTimers } from './timers.ts';

/** The store of a hosted desk, on SQLite or PostgreSQL. */
export function createHostedStore(
  database: Database,
  sealer: Sealer,
  close: () => Promise<void>,
): HostedStore {
  let closing: Promise<void> | undefined;
  const readClock = database.prepare(sql<{ ms: number }>`select ${database.now} as ms`);
  return {
    runs: withTypedErrors(createRuns(database)),
    inbox: withTypedErrors(createInbox(database, sealer)),
    outbox: withTypedErrors(createOutbox(database)),
    timers: withTypedErrors(createTimers(database)),
    blobs: withTypedErrors(createBlobs(database, sealer)),
    comments: withTypedErrors(createSentComments(database)),
    dispatches: withTypedErrors(createDispatches(database)),
    slots: withTypedErrors(createSlots(database)),
    spending: withTypedErrors(createSpending(database)),
    publications: withTypedErrors(createPublications(database)),
    labellings: withTypedErrors(createLabellings(database)),
    cursors: withTypedErrors(createCursors(database)),
    tickets: withTypedErrors(createTickets(database)),
    sessions: withTypedErrors(createSessions(database)),
    vault: withTypedErrors(createSealedVault(database, sealer)),
    ...withTypedErrors({
      leaseTask: createTaskLeases(database),
      now: async () => {
        const [row] = await readClock();
        return new Date(row?.ms ?? Number.NaN);
      },
      probe: () => probe(database),
    }),
    onWake: (listener) => database.onWake(listener),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Wraps every method of a part, because each is asynchronous and uses the database. */
function withTypedErrors<Part extends object>(part: Part): Part {
  const methods = Object.entries(part) as [string, (...args: unknown[]) => Promise<unknown>][];
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        try {
          return await method(...args);
        } catch (error) {
          throw asUnavailable(error);
        }
      },
    ]),
  ) as Part;
}

/** A database that is full or read-only answers reads, so it is written to. */
async function probe({ db, now }: Database): Promise<void> {
  const row = { name: 'health', key: 'probe', body: '{}', at_ms: now };
  await db
    .insertInto('cursors')
    .values(row)
    .onConflict((conflict) => conflict.columns(['name', 'key']).doUpdateSet({ at_ms: now }))
    .execute();
}
