import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { GitHubError } from '../../../src/core/ports/github-port.ts';
import { checkpointKey, deriveKeys } from '../../../src/store/ref/keys.ts';
import { readLease } from '../../../src/store/ref/lease.ts';
import { LeaseLostError } from '../../../src/store/ref/lease-lost-error.ts';
import { readRefEntries } from '../../../src/store/ref/read-ref-entries.ts';
import type { RefStoreOptions } from '../../../src/store/ref/ref-store.ts';
import { note, request } from '../hosted/commits.ts';
import { testContract } from '../hosted/contract.ts';
import { createMemoryRefStorage, type MemoryRefStorage } from './memory-ref-storage.ts';
import { KEYS, openForTest, REF, REPOSITORY, STATE_KEY } from './open-for-test.ts';
import { makeRefBackend } from './ref-backend.ts';

testContract('a ref', makeRefBackend);

let storage: MemoryRefStorage;
beforeEach(() => {
  storage = createMemoryRefStorage();
});

const open = (given: Partial<RefStoreOptions> = {}) => openForTest({ storage, ...given });
const desk = (run: number, attempt = 1, part = 'desk') => ({ holder: { run, attempt, part } });
const tip = () => storage.tips.get(REF) ?? expect.fail('there is no ref');
const lease = () => readLease(tip().message) ?? expect.fail('there is no lease');

/** One run with one commit, saved and released. */
async function writeState(): Promise<void> {
  const { store, release } = await open();
  await store.runs.commit('r1', 0, request('r1'));
  await release();
}

describe('the state of an issue', () => {
  test('N-2: what one desk saved, the next one has; the ref tells nothing of it', async () => {
    const first = await open();
    expect(first.isNew).toBe(true);
    const { store } = first;
    await store.runs.commit('r1', 0, request('r1'));
    const value = await store.vault.put('r1', 'token', 'hunter2');
    await first.release();
    const next = await open(desk(2));
    expect(next.isNew).toBe(false);
    expect((await next.store.runs.load('r1')).version).toBe(1);
    expect(await next.store.vault.open('r1', [value])).toEqual({ token: 'hunter2' });
    await next.release();
    for (const bytes of storage.blobs.values()) {
      const text = Buffer.from(bytes).toString('latin1');
      expect(text).toMatch(/^[\w+/]+=*$/);
      expect(Buffer.from(text, 'base64').toString('latin1')).not.toMatch(/SQLite|hunter2/);
    }
  });

  test('N-2: what was not saved is gone with its desk', async () => {
    await writeState();
    const second = await open(desk(2));
    await second.store.runs.commit('r1', 1, note(2));
    await second.abandon();
    const third = await open({ ...desk(3), isOver: async () => true });
    expect((await third.store.runs.load('r1')).version).toBe(1);
    await third.release();
  });

  test('N-2: a save with nothing new writes nothing, until the lease has to be renewed', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const { store, save, release } = await open({ now: () => now });
    await store.runs.commit('r1', 0, request('r1'));
    await save();
    const swaps = storage.calls.swap;
    const { until } = lease();
    await save();
    await save();
    expect(storage.calls.swap).toBe(swaps);
    now += 10 * 60_000;
    await save();
    expect(storage.calls.swap).toBe((swaps ?? 0) + 1);
    expect(Date.parse(lease().until)).toBe(Date.parse(until) + 10 * 60_000);
    await release();
  });

  test('N-2: the calls of a desk: one read, and one swap to take, save and release each', async () => {
    await writeState();
    storage.calls = Object.assign(storage.calls, { read: 0, blob: 0, swap: 0 });
    const { store, save, release } = await open(desk(2));
    await store.runs.commit('r1', 1, note(2));
    await save();
    await store.runs.commit('r1', 2, note(3));
    await release();
    expect(storage.calls).toEqual({ read: 1, blob: 1, swap: 3 });
  });

  test('N-2: a lease that is taken with the first save costs no swap of its own, also for a new issue', async () => {
    const lazy = { lease: 'at first save' } as const;
    const first = await open(lazy);
    expect(first.isNew).toBe(true);
    expect(storage.tips.size).toBe(0);
    await first.store.runs.commit('r1', 0, request('r1'));
    await first.save();
    expect(lease().holder).toMatchObject({ run: 1 });
    await first.release();
    storage.calls = Object.assign(storage.calls, { read: 0, blob: 0, swap: 0 });
    const { store, save, release } = await open({ ...desk(2), ...lazy });
    await store.runs.commit('r1', 1, note(2));
    expect(lease().holder).toBeNull();
    await save();
    expect(lease().holder).toMatchObject({ run: 2 });
    await release();
    expect(storage.calls).toEqual({ read: 1, blob: 1, swap: 2 });
  });

  test('N-2: of two desks that have not saved yet the first to save has the state, and the other has decided nothing', async () => {
    await writeState();
    const lazy = { lease: 'at first save', sleep: async () => expect.fail('it waits') } as const;
    const [one, other] = [await open({ ...desk(2), ...lazy }), await open({ ...desk(3), ...lazy })];
    await one.store.runs.commit('r1', 1, note(2));
    await other.store.runs.commit('r1', 1, note(3));
    await one.save();
    await expect(other.save()).rejects.toThrow(LeaseLostError);
    await other.abandon();
    await one.release();
    const next = await open(desk(4));
    expect((await next.store.runs.load('r1')).version).toBe(2);
    await next.release();
  });

  test('N-2: a desk with nothing to save takes the lease all the same before it writes to GitHub', async () => {
    await writeState();
    const opened = await open({ ...desk(2), lease: 'at first save' });
    await opened.save();
    expect(lease().holder).toMatchObject({ run: 2 });
    await opened.release();
  });

  test('N-2: a lane that a killed desk had leased is free for the next one', async () => {
    const first = await open();
    await first.store.runs.commit('r1', 0, { ...request('r1'), effects: note(1).effects });
    expect(await first.store.outbox.claim(600_000)).toBeDefined();
    await first.save();
    await first.abandon();
    const next = await open({ ...desk(2), isOver: async () => true });
    expect(await next.store.outbox.claim(1000)).toBeDefined();
    await next.release();
  });

  test('N-2: no file stays behind, whether a desk releases, stops or fails', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'autobuild-files-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    await (await open({ directory })).release();
    expect(readdirSync(directory)).toEqual([]);
    await (await open({ directory, ...desk(2) })).abandon();
    expect(readdirSync(directory)).toEqual([]);
    storage.blobs.set(String(tip().entries.state), Buffer.from('AAAA'));
    await expect(open({ directory, ...desk(3), isOver: async () => true })).rejects.toThrow();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('N-2: times in the state do not go back when the next clock is behind, unless a clock is plainly wrong', async () => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    const timeAt = async (run: number, now: number) => {
      const opened = await open({ ...desk(run), now: () => now });
      const time = (await opened.store.now()).getTime();
      await opened.release();
      return time - start;
    };
    expect(await timeAt(1, start + 60_000)).toBe(60_000);
    expect(await timeAt(2, start)).toBe(60_000);
    expect(await timeAt(3, start + 1_000)).toBe(60_000);
    expect(await timeAt(4, start + 90_000)).toBe(90_000);
    expect(await timeAt(5, start - 600_000)).toBe(-600_000);
  });
});

const keyOf = (name: 'brief' | 'checkpoint', issue: number) =>
  name === 'brief' ? KEYS.brief : checkpointKey(KEYS, issue);

describe('entries for a build', () => {
  test('N-2: a build reads the brief with a key that it makes, and the checkpoint with one that it is given', async () => {
    const first = await open();
    first.putEntry('brief', Buffer.from('build it'));
    first.putEntry('checkpoint', Buffer.alloc(100_000, 7));
    expect(Buffer.from((await first.getEntry('brief')) ?? '').toString()).toBe('build it');
    const read = async (name: 'brief' | 'checkpoint', key = keyOf(name, 7)) =>
      (await readRefEntries({ storage, repository: REPOSITORY, issue: 7 })).open(name, key);
    expect(await read('brief')).toBeUndefined();
    await first.save();
    expect(Buffer.from((await read('brief')) ?? '').toString()).toBe('build it');
    expect(await read('checkpoint')).toEqual(Buffer.alloc(100_000, 7));
    for (const key of [KEYS.state, keyOf('checkpoint', 7)])
      await expect(read('brief', key)).rejects.toMatchObject({ code: 'state_key_wrong' });
    for (const key of [KEYS.state, KEYS.brief, keyOf('checkpoint', 8)])
      await expect(read('checkpoint', key)).rejects.toMatchObject({ code: 'state_key_wrong' });
    await first.release();
    const next = await open(desk(2));
    expect(await next.getEntry('checkpoint')).toEqual(Buffer.alloc(100_000, 7));
    // An entry that did not change is not written again.
    const { checkpoint } = tip().entries;
    next.putEntry('brief', Buffer.from('go on'));
    await next.release();
    expect(tip().entries.checkpoint).toBe(checkpoint);
    expect(Buffer.from((await read('brief')) ?? '').toString()).toBe('go on');
  });

  test('N-2: an entry that is dropped is gone from the ref and for this desk', async () => {
    const first = await open();
    first.putEntry('brief', Buffer.from('build it'));
    first.putEntry('checkpoint', Buffer.from('x'));
    await first.save();
    first.dropEntry('brief');
    expect(await first.getEntry('brief')).toBeUndefined();
    await first.release();
    expect(Object.keys(tip().entries).sort()).toEqual(['checkpoint', 'state']);
    const next = await open(desk(2));
    next.dropEntry('brief');
    next.putEntry('brief', Buffer.from('go on'));
    await next.release();
    expect(Object.keys(tip().entries).sort()).toEqual(['brief', 'checkpoint', 'state']);
  });

  test('N-2: an entry of another name, issue or repository is not opened', async () => {
    const first = await open();
    first.putEntry('brief', Buffer.from('build it'));
    await first.release();
    const { brief, state } = tip().entries;
    const read = async (repository: typeof REPOSITORY, issue: number, name: 'brief' | 'checkpoint') =>
      (await readRefEntries({ storage, repository, issue })).open(name, KEYS.brief);
    storage.tips.set('refs/autobuild/issue-8', tip());
    await expect(read(REPOSITORY, 8, 'brief')).rejects.toMatchObject({ code: 'state_damaged' });
    await expect(read({ ...REPOSITORY, id: 78 }, 7, 'brief')).rejects.toMatchObject({
      code: 'state_damaged',
    });
    tip().entries = { state: String(state), checkpoint: String(brief) };
    await expect(read(REPOSITORY, 7, 'checkpoint')).rejects.toMatchObject({ code: 'state_damaged' });
    expect(await read(REPOSITORY, 9, 'brief')).toBeUndefined();
  });

  test('N-2: when the last run ended, what only a build needs goes at once', async () => {
    const first = await open();
    first.putEntry('brief', Buffer.from('build it'));
    first.putEntry('checkpoint', Buffer.from('x'));
    await first.save();
    await first.release({ ended: '2026-01-01T00:00:00Z' });
    expect(Object.keys(tip().entries)).toEqual(['state']);
    expect(lease()).toMatchObject({ holder: null, ended: '2026-01-01T00:00:00Z' });
    // The issue was labelled again.
    await (await open(desk(2))).release();
    expect(lease().ended).toBeUndefined();
  });
});

describe('the lease', () => {
  const START = Date.parse('2026-01-01T00:00:00Z');

  test('N-2: a desk waits for the one that works, with longer and longer pauses', async () => {
    const first = await open({ now: () => START });
    await first.store.runs.commit('r1', 0, request('r1'));
    const pauses: number[] = [];
    const next = await open({
      ...desk(2),
      now: () => START,
      async sleep(ms) {
        pauses.push(ms);
        if (pauses.length === 6) await first.release();
      },
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    expect((await next.store.runs.load('r1')).version).toBe(1);
    await next.release();
  });

  test('N-2: a desk that waits too long says who works, and that nothing is lost', async () => {
    const first = await open({ ...desk(41, 2, 'deliver'), now: () => START });
    let now = START;
    const late = open({
      ...desk(2),
      now: () => now,
      async sleep(ms) {
        now += ms;
      },
    });
    await expect(late).rejects.toMatchObject({
      code: 'state_busy',
      message: expect.stringContaining('`deliver` of the Actions run 41, attempt 2'),
      remedy: expect.stringContaining('Nothing is lost'),
    });
    await first.release();
  });

  test.each([
    ['whose Actions run has ended', desk(2), true, 0],
    ['of the same Actions run, a job before', desk(1, 1, 'deliver'), false, 0],
    ['of an attempt before', desk(1, 2), false, 0],
    ['whose lease ran out, as far as clocks can differ', desk(2), false, 18],
  ])('N-2: a holder %s is taken over at once, and cannot save any more', async (_, next, isOver, minutes) => {
    const killed = await open({ now: () => START });
    await killed.store.runs.commit('r1', 0, request('r1'));
    await killed.save();
    const sleep = async () => expect.fail('it waits');
    const second = await open({
      ...next,
      sleep,
      isOver: async () => isOver,
      now: () => START + minutes * 60_000,
    });
    expect((await second.store.runs.load('r1')).version).toBe(1);
    await killed.store.runs.commit('r1', 1, note(2));
    const lost = await killed.save().catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(LeaseLostError);
    expect(lost).toMatchObject({
      ref: REF,
      message: expect.stringContaining(`taken over by the job \`${next.holder.part}\``),
      remedy: expect.stringContaining('Nothing has to be done'),
    });
    await second.release();
    await killed.abandon();
  });

  test('N-2: GitHub that fails for a moment when it is asked about the holder costs no desk', async () => {
    const killed = await open();
    await killed.abandon();
    let asked = 0;
    const isOver = async () => {
      asked += 1;
      if (asked === 1) throw new GitHubError('GitHub did not answer', { status: 502 });
      return true;
    };
    await (await open({ ...desk(2), isOver })).release();
    expect(asked).toBe(2);
  });

  test('N-2: a lease that ended by another clock a minute ago is not taken', async () => {
    const first = await open({ now: () => START });
    const late = open({ ...desk(2), now: () => START + 16 * 60_000, sleep: () => Promise.reject('waits') });
    await expect(late).rejects.toBe('waits');
    await first.release();
  });

  test('N-2: two desks that begin with the same new issue: one waits, and has what the other did', async () => {
    let turns: (() => void)[] = [];
    storage = createMemoryRefStorage(() => new Promise((resolve) => turns.push(resolve)));
    const done: string[] = [];
    const work = async (run: number) => {
      const opened = await open({ ...desk(run), sleep: async () => undefined });
      const { version } = await opened.store.runs.load('r1');
      await opened.store.runs.commit('r1', version, version === 0 ? request('r1') : note(version + 1));
      done.push(`${opened.isNew ? 'new' : 'old'} ${version}`);
      await opened.release();
    };
    let left = 2;
    const all = [work(1), work(2)].map((one) => one.finally(() => (left -= 1)));
    while (left > 0) {
      await new Promise(setImmediate);
      for (const resolve of turns.splice(0)) resolve();
      turns = [...turns];
    }
    await Promise.all(all);
    expect(done).toEqual(['new 0', 'old 1']);
  });
});

describe('answers that were lost', () => {
  const broken = () => new GitHubError('GitHub did not answer', { status: 500 });
  /** Fails each swap once: before it is done, or after. */
  function breakSwaps(isDone: boolean): void {
    const { swap } = storage;
    let failed = '';
    storage.swap = async (ref, before, change) => {
      if (failed === change.message) return swap(ref, before, change);
      failed = change.message;
      if (isDone) await swap(ref, before, change);
      throw broken();
    };
  }

  test.each([
    ['before', false],
    ['after', true],
  ])('N-2: a swap whose answer is lost %s it was done is done once', async (_, isDone) => {
    breakSwaps(isDone);
    const { store, save, release } = await open();
    await store.runs.commit('r1', 0, request('r1'));
    await save();
    await store.runs.commit('r1', 1, note(2));
    await release();
    const next = await open(desk(2));
    expect((await next.store.runs.load('r1')).version).toBe(2);
    await next.release();
  });

  test('N-2: a limit that lasts longer than a job should wait is not waited for', async () => {
    storage.read = async () => {
      throw new GitHubError('limited', { status: 403, retryAfter: 1800 });
    };
    await expect(open({ sleep: async () => expect.fail('it waits') })).rejects.toMatchObject({ status: 403 });
  });
});

describe('the repository that a state is bound to', () => {
  const keysOf = (repository: typeof REPOSITORY) =>
    deriveKeys({ stateKey: STATE_KEY, modelKey: 'a model key', repository });
  const openAs = (repository: typeof REPOSITORY, run: number) =>
    open({ ...desk(run), repository, keys: keysOf(repository) });
  const renamed = { ...REPOSITORY, name: 'bob/shop' };

  test('N-2: with a new key beside the old one, all is sealed anew by whoever opens it next, the conversation too', async () => {
    const with1 = { keys: deriveKeys({ stateKey: STATE_KEY, modelKey: 'm', repository: REPOSITORY }) };
    const first = await open({ ...desk(1), ...with1 });
    first.putEntry('checkpoint', Buffer.from('a conversation'));
    await first.release();
    const fresh = 'n'.repeat(44);
    for (const [index, stateKey] of [`${fresh},${STATE_KEY}`, fresh].entries()) {
      const keys = deriveKeys({ stateKey, modelKey: 'm', repository: REPOSITORY });
      const opened = await open({ ...desk(index + 2), keys });
      expect(String(await opened.getEntry('checkpoint'))).toBe('a conversation');
      await opened.release();
    }
  });

  test('N-2: the first key of the state can be set while a run is open: all is sealed anew with it, the conversation too', async () => {
    const fresh = 'n'.repeat(44);
    const steps = [
      { modelKey: 'm' },
      { modelKey: 'm', stateKey: fresh },
      { modelKey: 'another', stateKey: fresh },
    ];
    for (const [index, given] of steps.entries()) {
      const opened = await open({
        ...desk(index + 1),
        keys: deriveKeys({ ...given, repository: REPOSITORY }),
      });
      if (index === 0) opened.putEntry('checkpoint', Buffer.from('a conversation'));
      expect(opened.isNew).toBe(index === 0);
      expect(String(await opened.getEntry('checkpoint'))).toBe('a conversation');
      await opened.release();
    }
  });

  test('N-2: a repository that was renamed or transferred has its state; a new one of the same name has none', async () => {
    await writeState();
    const later = await openAs(renamed, 2);
    expect((await later.store.runs.load('r1')).version).toBe(1);
    await later.release();
    await expect(openAs({ ...REPOSITORY, id: 78 }, 3)).rejects.toMatchObject({
      code: 'state_key_wrong',
      remedy: expect.stringMatching(/another repository.*gh api -X DELETE/),
    });
  });

  describe('of an older version, which bound it to the name', () => {
    const file = join(import.meta.dirname, '../../fixtures/store/bound-to-name.json');
    const { message, entries, input } = JSON.parse(readFileSync(file, 'utf8'));
    beforeEach(async () => {
      const bytes = Object.entries(entries).map(([name, text]) => [name, Buffer.from(String(text))]);
      await storage.swap(REF, undefined, { message, entries: Object.fromEntries(bytes) });
    });

    test('N-2: it is read, and from then on a rename loses nothing of it', async () => {
      for (const [index, repository] of [REPOSITORY, renamed].entries()) {
        const opened = await openAs(repository, index + 2);
        const { runs, vault, blobs } = opened.store;
        expect((await runs.load('r1')).version).toBe(1);
        expect(await vault.open('r1', [input])).toEqual({ token: 'hunter2' });
        expect(String(await blobs.get('r1', 'changeset'))).toBe('{"files":[]}');
        expect(String(await opened.getEntry('checkpoint'))).toBe('a conversation');
        await opened.release();
      }
      // A build that is renamed in between gets the keys of the id alone.
      const key = checkpointKey(keysOf(renamed), 7);
      const build = await readRefEntries({ storage, repository: renamed, issue: 7 });
      expect(String(await build.open('checkpoint', key))).toBe('a conversation');
    });

    test('N-2: a checkpoint that no key opens does not keep the state from being read', async () => {
      const { entries: before } = tip();
      storage.blobs.set(String(before.checkpoint), Buffer.from('bm8gc2VhbA=='));
      const opened = await openAs(REPOSITORY, 2);
      expect((await opened.store.runs.load('r1')).version).toBe(1);
      await opened.release();
      expect(tip().entries.checkpoint).toBe(before.checkpoint);
      expect(tip().entries.state).not.toBe(before.state);
    });

    test('N-2: a repository that was renamed before says what to do', async () => {
      await expect(openAs(renamed, 2)).rejects.toMatchObject({
        code: 'state_key_wrong',
        remedy: expect.stringContaining('gh api -X DELETE repos/bob/shop/git/refs/autobuild/issue-7'),
      });
    });
  });
});

describe('damage', () => {
  const DELETE = 'gh api -X DELETE repos/alice/demo/git/refs/autobuild/issue-7';
  const openLater = (given: Partial<RefStoreOptions> = {}) => open({ ...desk(2), ...given });
  const replaceState = (change: (stored: Uint8Array) => Uint8Array) => {
    const oid = String(tip().entries.state);
    storage.blobs.set(oid, change(storage.blobs.get(oid) ?? Buffer.alloc(0)));
  };

  test('N-2: another key: named, with both ways out', async () => {
    await writeState();
    const stateKey = 'x'.repeat(44);
    const keys = deriveKeys({ stateKey, modelKey: 'a model key', repository: REPOSITORY });
    await expect(openLater({ keys })).rejects.toMatchObject({
      code: 'state_key_wrong',
      message: expect.stringContaining(`state of this issue (${REF})`),
      remedy: expect.stringMatching(/old AUTOBUILD_KEY back, or behind the new one.*gh api -X DELETE/),
    });
    // The key is put behind the new one.
    const both = `${stateKey},${STATE_KEY}`;
    const opened = await open({
      ...desk(2),
      keys: deriveKeys({ stateKey: both, modelKey: 'm', repository: REPOSITORY }),
    });
    await opened.store.runs.commit('r1', 1, note(2));
    await opened.release();
    await (await openLater({ keys })).release();
  });

  test('N-2: a model key that changed while it was the only key says so', async () => {
    const keys = (modelKey: string) => deriveKeys({ modelKey, repository: REPOSITORY });
    await (await open({ keys: keys('old') })).release();
    await expect(openLater({ keys: keys('new') })).rejects.toMatchObject({
      code: 'state_key_wrong',
      remedy: expect.stringContaining('There is no AUTOBUILD_KEY'),
    });
  });

  test.each<[string, (stored: Uint8Array) => Uint8Array]>([
    ['cut off', (stored) => stored.subarray(0, stored.length - 40)],
    ['cut off within four characters', (stored) => stored.subarray(0, stored.length - 41)],
    ['empty', () => Buffer.alloc(0)],
    ['other text', () => Buffer.from('hello, this is no state')],
    ['bytes', (stored) => Buffer.from(Buffer.from(stored).toString(), 'base64')],
    [
      'changed in the middle',
      (stored) => Uint8Array.from(stored, (byte, at) => (at === 200 ? 65 + (byte % 2) + 2 : byte)),
    ],
  ])('N-2: a blob that is %s: damaged, with where and what to do', async (_, change) => {
    await writeState();
    replaceState(change);
    const { oid } = tip();
    await expect(openLater()).rejects.toMatchObject({
      code: 'state_damaged',
      message: expect.stringContaining(`The state of this issue (${REF}) is damaged`),
      remedy: expect.stringContaining(DELETE),
    });
    // Not even a lease is written on what cannot be used.
    expect(tip().oid).toBe(oid);
  });

  test.each(['Merge branch main', '{"holder":5}', '', 'null', '{"holder":null,"until":"x","id":"y"}'])(
    'N-2: a commit of others on the ref (%j) is not touched',
    async (message) => {
      await writeState();
      storage.tips.set(REF, { ...tip(), oid: 'f'.repeat(40), message });
      await expect(openLater()).rejects.toMatchObject({
        code: 'state_foreign',
        message: expect.stringContaining(`${REF} points to ${'f'.repeat(40)}`),
        remedy: expect.stringContaining(DELETE),
      });
      expect(tip().message).toBe(message);
    },
  );

  test('N-2: a lease on a tree without a state is no state', async () => {
    await writeState();
    storage.tips.set(REF, { ...tip(), entries: {} });
    await expect(openLater()).rejects.toMatchObject({ code: 'state_foreign' });
  });

  test('N-2: a ref that is deleted under a desk: it stops, says so, and leaves it deleted', async () => {
    const opened = await open();
    await opened.store.runs.commit('r1', 0, request('r1'));
    storage.tips.delete(REF);
    await expect(opened.save()).rejects.toMatchObject({
      name: 'LeaseLostError',
      message: expect.stringContaining(`(${REF}) was deleted`),
      remedy: expect.stringContaining('Label the issue again'),
    });
    expect(storage.tips.size).toBe(0);
    await opened.abandon();
  });

  test('N-2: a ref that others moved: it stops and names the commit', async () => {
    const opened = await open();
    await opened.store.runs.commit('r1', 0, request('r1'));
    storage.tips.set(REF, { oid: 'f'.repeat(40), message: 'mine', entries: {} });
    await expect(opened.save()).rejects.toThrow('was moved to ffffffffff');
    await opened.abandon();
  });

  test('N-2: an entry that is too large is refused before it is sent, and the state is as it was', async () => {
    const opened = await open();
    const huge = Buffer.alloc(31 * 2 ** 20);
    // Noise that cannot be compressed.
    for (let at = 0, seed = 1; at < huge.length; at += 4) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      huge.writeUInt32LE((seed ^ (seed >>> 13) ^ Math.imul(seed, 2_654_435_761)) >>> 0, at);
    }
    expect(() => opened.putEntry('checkpoint', huge)).toThrow(
      expect.objectContaining({
        code: 'state_too_large',
        message: expect.stringMatching(
          /The checkpoint of this issue has 3\d MB sealed, which is more than refs/,
        ),
        remedy: expect.stringContaining('.gitignore'),
      }),
    );
    await opened.release();
    await (await openLater()).release();
  });

  describe('a state that is too large', () => {
    const maxBytes = 60_000;
    const noise = () => randomBytes(30_000).toString('base64');
    const said = (version: number) => ({
      ...note(version),
      input: { type: 'cancel', at: '2026-01-01T00:00:00Z', by: 'x', because: noise() } as never,
    });

    test('N-3: what no decision needs is dropped, in order, and named; the runs stay as they are', async () => {
      const shed: string[][] = [];
      const opened = await open({ maxBytes, onShed: (what) => shed.push(what) });
      const { store } = opened;
      await store.runs.commit('r1', 0, request('r1'));
      await opened.save();
      expect(shed).toEqual([]);
      for (const version of [2, 3, 4]) await store.runs.commit('r1', version - 1, said(version));
      await opened.save();
      expect(shed).toEqual([
        [
          'the work of runs that have ended',
          'the journals of runs that have ended',
          "what the jobs said in this run's journal",
        ],
      ]);
      const { state } = await store.runs.load('r1');
      await opened.release();
      const next = await open(desk(2));
      expect(await next.store.runs.load('r1')).toEqual({ version: 4, state });
      expect((await next.store.runs.events('r1')).map(({ version }) => version)).toEqual([1, 2, 3, 4]);
      await next.release();
    });

    test('N-3: if that is not enough, it says so, and the state on the ref is as it was', async () => {
      await writeState();
      const { oid } = tip();
      const opened = await open({ ...desk(2), maxBytes, lease: 'at first save' });
      await opened.store.blobs.put('r1', 'changeset', randomBytes(100_000));
      await expect(opened.save()).rejects.toMatchObject({ code: 'state_too_large' });
      await opened.abandon();
      expect(tip().oid).toBe(oid);
    });
  });

  test('N-2: a state that a later version wrote is left to that version', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'autobuild-later-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const { release } = await open({ directory });
    const database = new DatabaseSync(join(directory, 'issue-7.db'));
    database.exec("insert into migrations (number, name) values (999, '9999-later')");
    database.close();
    await release();
    const { oid } = tip();
    await expect(openLater()).rejects.toMatchObject({
      code: 'state_too_new',
      message: expect.stringMatching(/refs\/autobuild\/issue-7.*9999-later/),
      remedy: expect.stringContaining('or a newer one'),
    });
    expect(tip().oid).toBe(oid);
  });
});
