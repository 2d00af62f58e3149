import { afterEach, beforeEach, describe } from 'vitest';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { type Bench, KEY, type MakeBackend } from './backend.ts';
import { testCrashes } from './contract-crashes.ts';
import { testDispatches } from './contract-dispatches.ts';
import { testInbox } from './contract-inbox.ts';
import { testLeases } from './contract-leases.ts';
import { testMigrations } from './contract-migrations.ts';
import { testOutbox } from './contract-outbox.ts';
import { testPruning } from './contract-pruning.ts';
import { testRecords } from './contract-records.ts';
import { testRuns } from './contract-runs.ts';
import { testSecrets } from './contract-secrets.ts';
import { testSlots } from './contract-slots.ts';
import { testTickets } from './contract-tickets.ts';
import { testUpgrade } from './contract-upgrade.ts';

/** What every hosted store promises, whatever it stands on. */
export function testContract(name: string, make: MakeBackend): void {
  describe(`the hosted store on ${name}`, () => {
    const opened: HostedStore[] = [];
    const bench: Bench = {
      // Set before each test.
      backend: undefined as unknown as Bench['backend'],
      async open(key = KEY, clock) {
        const { where, open = (...given) => openStore({ ...where, key: given[0], clock: given[1] }) } =
          bench.backend;
        const store = await open(key, clock);
        opened.push(store);
        return store;
      },
    };
    const promises = (of: string, content: 'empty' | 'tables', testPromises: (bench: Bench) => void) =>
      describe(of, () => {
        beforeEach(async () => {
          bench.backend = await make(content);
        });
        testPromises(bench);
      });
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
      await bench.backend.remove();
    });
    promises('runs', 'tables', testRuns);
    promises('crashes and races', 'tables', testCrashes);
    promises('inbox', 'tables', testInbox);
    promises('outbox', 'tables', testOutbox);
    promises('dispatches', 'tables', testDispatches);
    promises('slots', 'tables', testSlots);
    promises('tickets and tokens', 'tables', testTickets);
    promises('comments, publications, cursors, blobs', 'tables', testRecords);
    promises('leases of tasks, and health', 'tables', testLeases);
    promises('pruning', 'tables', testPruning);
    promises('secrets', 'tables', testSecrets);
    promises('migrations', 'empty', testMigrations);
    promises('upgrade', 'empty', testUpgrade);
  });
}
