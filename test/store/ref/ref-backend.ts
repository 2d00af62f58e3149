import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { HostedStore } from '../../../src/core/ports/hosted-store.ts';
import { removeImage, takeImage } from '../../../src/store/ref/database-image.ts';
import { writeLease } from '../../../src/store/ref/lease.ts';
import { openRefStore, type RefStore } from '../../../src/store/ref/ref-store.ts';
import { createSealedEntry } from '../../../src/store/ref/sealed-entry.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { type Backend, KEY } from '../hosted/backend.ts';
import { createMemoryRefStorage } from './memory-ref-storage.ts';
import { KEYS, REF, REPOSITORY } from './open-for-test.ts';

/**
 * The store of one desk after the other. The first instance that a test opens takes the state from the ref, and the last one
 * that it closes puts it there. Others in between are on the same temporary database, as parts of one desk are.
 */
export async function makeRefBackend(): Promise<Backend> {
  const storage = createMemoryRefStorage();
  const root = mkdtempSync(join(tmpdir(), 'autobuild-refs-'));
  const directory = join(root, 'desk');
  mkdirSync(directory);
  const file = join(directory, 'issue-7.db');
  let desk: Promise<RefStore> | undefined;
  let instances = 0;
  let run = 0;
  let lastKey = KEY;

  const openDesk = (key: string, clock?: string) => {
    lastKey = key;
    run += 1;
    return openRefStore({
      storage,
      repository: REPOSITORY,
      issue: 7,
      keys: { ...KEYS, state: key },
      holder: { run, attempt: 1, part: 'desk' },
      isOver: async () => false,
      now: Date.now,
      sleep: () => Promise.reject(new Error('another desk has the ref')),
      directory,
      clock,
    });
  };

  const sealed = () =>
    createSealedEntry({ repository: REPOSITORY, issue: 7, entry: 'state' }, { key: lastKey });
  /** Puts the database's file on the ref, behind the store's back. */
  function putFile(): void {
    const oid = 'f'.repeat(40);
    storage.blobs.set(oid, sealed().seal(takeImage(file)));
    const message = writeLease({ holder: null, until: new Date().toISOString(), id: 'x' });
    storage.tips.set(REF, { oid: 'e'.repeat(40), message, entries: { state: oid } });
    removeImage(file);
  }
  function fetchFile(): void {
    const oid = storage.tips.get(REF)?.entries.state;
    if (oid) writeFileSync(file, sealed().open(storage.blobs.get(oid) ?? Buffer.alloc(0)));
  }

  async function closeOne(close: () => Promise<void>): Promise<void> {
    instances -= 1;
    if (instances > 0 || !desk) return close();
    const last = desk;
    desk = undefined;
    await close();
    await (await last).release();
  }

  return {
    where: { file },
    wrongKey: 'was sealed with another key than the one that is given',
    resealsValues: true,
    async open(key, clock) {
      const isFirst = desk === undefined;
      if (isFirst && existsSync(file)) putFile();
      desk ??= openDesk(key, clock);
      instances += 1;
      try {
        const opened = await desk;
        const store = isFirst ? opened.store : await openSqliteStore({ file, key, clock });
        return once(store, closeOne);
      } catch (error) {
        instances -= 1;
        if (isFirst) desk = undefined;
        throw error;
      }
    },
    async query(text) {
      const isAlone = desk === undefined;
      if (isAlone) fetchFile();
      const database = new DatabaseSync(file, { timeout: 5000 });
      try {
        return database.prepare(text).all();
      } finally {
        database.close();
        if (isAlone) putFile();
      }
    },
    async remove() {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Closing twice closes once. */
function once(store: HostedStore, closeOne: (close: () => Promise<void>) => Promise<void>): HostedStore {
  let closing: Promise<void> | undefined;
  return {
    ...store,
    close() {
      closing ??= closeOne(() => store.close());
      return closing;
    },
  };
}
