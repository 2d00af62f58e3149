import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import { type Bench, KEY } from './backend.ts';
import { at } from './commits.ts';

const CLOCK = '(select now_ms from test_clock)';

export interface ClockedStore {
  store: HostedStore;
  /** Sets the database's clock to `seconds` after the story begins. */
  setClock(seconds: number): Promise<void>;
  /** Another instance on the same clock. */
  openAnother(): Promise<HostedStore>;
}

/** A store whose clock stands still at second 0 until it is set. */
export async function openWithClock({ backend, open }: Bench): Promise<ClockedStore> {
  const store = await open(KEY, CLOCK);
  await backend.query('create table test_clock (now_ms bigint not null)');
  await backend.query(`insert into test_clock values (${Date.parse(at(0))})`);
  return {
    store,
    openAnother: () => open(KEY, CLOCK),
    async setClock(seconds) {
      await backend.query(`update test_clock set now_ms = ${Date.parse(at(seconds))}`);
    },
  };
}
