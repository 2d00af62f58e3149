import { afterEach, beforeEach, describe } from 'vitest';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { type Bench, KEY, type MakeBackend } from './backend.ts';
import { testCrashes } from './contract-crashes.ts';
import { testMigrations } from './contract-migrations.ts';
import { testQueues } from './contract-queues.ts';
import { testRecords } from './contract-records.ts';
import { testRuns } from './contract-runs.ts';
import { testSecrets } from './contract-secrets.ts';
import { testTokens } from './contract-tokens.ts';

/** What every hosted store promises, whatever it stands on. */
export function testContract(name: string, make: MakeBackend): void {
  describe(`the hosted store on ${name}`, () => {
    const opened: HostedStore[] = [];
    const bench: Bench = {
      // Set before each test.
      backend: undefined as unknown as Bench['backend'],
      async open(key = KEY) {
        const store = await openStore({ ...bench.backend.where, key });
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
    describe('queues', () => testQueues(bench));
    describe('tickets and tokens', () => testTokens(bench));
    describe('comments, marks, blobs', () => testRecords(bench));
    describe('secrets', () => testSecrets(bench));
    describe('migrations', () => testMigrations(bench));
  });
}
