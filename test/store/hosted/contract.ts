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
        const store = await openStore({ ...bench.backend.where, key, clock });
        opened.push(store);
        return store;
      },
    };
    beforeEach(async () => {
      bench.backend = await make();
    });
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
      await bench.backend.remove();
    });
    describe('runs', () => testRuns(bench));
    describe('crashes and races', () => testCrashes(bench));
    describe('inbox', () => testInbox(bench));
    describe('outbox', () => testOutbox(bench));
    describe('dispatches', () => testDispatches(bench));
    describe('tickets and tokens', () => testTickets(bench));
    describe('comments, publications, cursors, blobs', () => testRecords(bench));
    describe('leases of tasks, and health', () => testLeases(bench));
    describe('pruning', () => testPruning(bench));
    describe('secrets', () => testSecrets(bench));
    describe('migrations', () => testMigrations(bench));
    describe('upgrade', () => testUpgrade(bench));
  });
}
