import { expect, test } from 'vitest';
import type { Delivery, Leased } from '../../../src/core/ports/inbox.ts';
import type { Bench } from './backend.ts';
import { startChild } from './children.ts';
import { at, delivery } from './commits.ts';
import { openWithClock } from './test-clock.ts';
import type { Worked } from './work-through.ts';

const LEASE_MS = 30_000;
const DAY = 24 * 3600;

export function testInbox(bench: Bench): void {
  /** Claims what must be there. */
  const openInbox = async () => {
    const { store, setClock } = await openWithClock(bench);
    const { inbox } = store;
    const claimable = async (seconds: number) => (await tryClaim(seconds))?.id;
    const tryClaim = async (seconds: number) => {
      await setClock(seconds);
      return inbox.claim(LEASE_MS);
    };
    const claim = async (seconds: number): Promise<Delivery & Leased> =>
      (await tryClaim(seconds)) ?? expect.fail('nothing to claim');
    return { inbox, claim, claimable, setClock };
  };

  test('R-2: five hundred deliveries at once, some of them twice: each is kept once, in order', async () => {
    const { inbox } = await openInbox();
    await inbox.put([delivery('d-7'), delivery('d-499')]);
    const batch = Array.from({ length: 700 }, (_, index) => delivery(`d-${index % 500}`, '77#2'));
    const kinds = await inbox.put(batch);
    expect(kinds).toHaveLength(700);
    for (const [index, kind] of kinds.entries()) {
      expect(kind).toBe(index >= 500 || index === 7 || index === 499 ? 'duplicate' : 'fresh');
    }
    expect(await inbox.size()).toEqual({ waiting: 500, busy: 0, buried: 0 });
    expect(await inbox.put(batch)).toEqual(batch.map(() => 'duplicate'));
  });

  test('R-1: which deliveries came is known, also after they were handled', async () => {
    const { inbox, claim } = await openInbox();
    const many = Array.from({ length: 600 }, (_, index) => `never-${index}`);
    await inbox.put([delivery('d-1'), delivery('d-2', '77#2')]);
    await inbox.done(await claim(0));
    expect(await inbox.known([...many, 'd-1', 'd-2'])).toEqual(new Set(['d-1', 'd-2']));
    expect(await inbox.known([])).toEqual(new Set());
  });

  test('a delivery comes out as it went in', async () => {
    const { inbox, claim } = await openInbox();
    const odd = {
      ...delivery('d-1'),
      payload: '{"body":"Für „Ämter“ 登录 🚪 \u0000"}',
      installation: 5_000_000_001,
    };
    const given = { ...odd, id: 'd-2', payload: '{"body":"/provide key=登录"}' };
    const indented = { ...delivery('d-3'), payload: ' {"body":"登录"}' };
    for (const one of [odd, given, indented]) {
      await inbox.put([one]);
      const claimed = await claim(0);
      expect(claimed).toStrictEqual({
        ...one,
        attempts: 1,
        last_error: undefined,
        fence: expect.any(String),
      });
      await inbox.done(claimed);
    }
  });

  test('a lane is worked on in order, one at a time; other lanes go on', async () => {
    const { inbox, claim, claimable } = await openInbox();
    await inbox.put([delivery('a1', 'a'), delivery('a2', 'a'), delivery('b1', 'b'), delivery('a3', 'a')]);
    const a1 = await claim(0);
    expect(a1.id).toBe('a1');
    const b1 = await claim(0);
    expect(b1.id).toBe('b1');
    expect(await claimable(0)).toBeUndefined();
    expect(await inbox.size()).toEqual({ waiting: 2, busy: 2, buried: 0 });
    expect(await inbox.done(a1)).toBe(true);
    expect(await inbox.done(a1)).toBe(false);
    expect(await claimable(0)).toBe('a2');
    expect(await claimable(0)).toBeUndefined();
  });

  test('what is tried again later holds its lane until then, and no other', async () => {
    const { inbox, claim, claimable } = await openInbox();
    await inbox.put([delivery('a1', 'a'), delivery('a2', 'a'), delivery('b1', 'b')]);
    expect(await inbox.retry(await claim(0), 10_000, 'GitHub is down')).toBe(true);
    expect(await claimable(9)).toBe('b1');
    expect(await claimable(9)).toBeUndefined();
    expect(await claim(10)).toMatchObject({ id: 'a1', attempts: 2 });
  });

  test('what is given up is shown and frees its lane; it gets another chance when asked for', async () => {
    const { inbox, claim, claimable } = await openInbox();
    await inbox.put([delivery('a1', 'a'), delivery('a2', 'a'), delivery('a3', 'a')]);
    expect(await inbox.bury(await claim(5), `broken\0${'x'.repeat(9000)}`)).toBe(true);
    const [dead] = await inbox.buried(10);
    expect(dead).toMatchObject({ id: 'a1', at: at(5) });
    expect(dead?.error).toMatch(/^brokenx{100,2000}$/);
    expect(await inbox.size()).toEqual({ waiting: 2, busy: 0, buried: 1 });
    const a2 = await claim(6);
    expect(a2.id).toBe('a2');
    expect(await inbox.revive('a1')).toBe(true);
    expect(await inbox.revive('a1')).toBe(false);
    expect(await inbox.revive('a2')).toBe(false);
    // The one that is worked on is not overtaken, also when its lease runs out.
    expect(await claimable(6)).toBeUndefined();
    expect(await claimable(6 + LEASE_MS)).toBe('a2');
    expect(await inbox.done(a2)).toBe(false);
    expect(await inbox.buried(10)).toEqual([]);
  });

  test('R-14: of an installation that has enough workers nothing is claimed, also not what was left by another one', async () => {
    const { inbox, claim, setClock } = await openInbox();
    const large = 5_000_000_001;
    const put = async (id: string, installation?: number) =>
      inbox.put([{ ...delivery(id, id), ...(installation !== undefined && { installation }) }]);
    for (const id of ['busy', 'large']) await put(id, large);
    await claim(0);
    await setClock(LEASE_MS / 1000);
    await put('small', 7);
    await put('unknown');
    await put('late', 8);
    const claimable = async (...full: number[]) => (await inbox.claim(LEASE_MS, { full }))?.id;
    expect(await claimable(large, 7)).toBe('unknown');
    expect(await claimable(large, 7)).toBe('late');
    expect(await claimable(large, 7)).toBeUndefined();
    expect(await claimable(large)).toBe('small');
    expect(await claimable(large)).toBeUndefined();
    expect(await claimable(7)).toBe('large');
    expect(await inbox.claim(LEASE_MS)).toMatchObject({ id: 'busy', attempts: 2, installation: large });
  });

  test('what was given up of one installation is found among all of it, also where it was sealed', async () => {
    const { inbox, claim } = await openInbox();
    const payloads = Array.from({ length: 45 }, (_, index) =>
      JSON.stringify({ body: index % 2 ? '/provide key=x' : '', installation: { id: index % 3 } }),
    );
    for (const [index, payload] of [...payloads, 'no JSON', 'null'].entries()) {
      // Older versions did not store the installation of a delivery, except in its payload.
      const stored = index % 4 === 0 && index < 45 ? { installation: index % 3 } : {};
      await inbox.put([{ ...delivery(`d-${index}`), payload, ...stored }]);
      await inbox.bury(await claim(0), 'refused');
    }
    await inbox.put([{ ...delivery('waiting'), payload: payloads[0] ?? '' }]);
    const expected = Array.from({ length: 15 }, (_, index) => `d-${42 - index * 3}`);
    expect(await inbox.buriedOf(0, 100)).toEqual(expected);
    expect(await inbox.buriedOf(7, 100)).toEqual([]);
    expect(await inbox.buriedOf(0, 2)).toEqual(expected.slice(0, 2));
    // However many newer ones are of others.
    expect(await inbox.buriedOf(0, 15)).toEqual(expected);
  });

  test('R-3: a lease that ran out is claimed again, and the old fence writes nothing', async () => {
    const { inbox, claim, claimable } = await openInbox();
    await inbox.put([delivery('a1', 'a'), delivery('a2', 'a')]);
    const old = await claim(0);
    expect(await claimable(LEASE_MS / 1000 - 1)).toBeUndefined();
    const fresh = await claim(LEASE_MS / 1000);
    expect(fresh).toMatchObject({ id: 'a1', attempts: 2 });
    expect(fresh.fence).not.toBe(old.fence);
    expect(await inbox.done(old)).toBe(false);
    expect(await inbox.retry(old, 0, 'late')).toBe(false);
    expect(await inbox.bury(old, 'late')).toBe(false);
    expect(await inbox.size()).toEqual({ waiting: 1, busy: 1, buried: 0 });
    expect(await inbox.done(fresh)).toBe(true);
    expect(await claimable(40)).toBe('a2');
  });

  test('R-3: a lease that is renewed holds on, for whoever has it', async () => {
    const { inbox, claim, claimable, setClock } = await openInbox();
    await inbox.put([delivery('a1', 'a')]);
    const first = await claim(0);
    await setClock(20);
    expect(await inbox.renew(first, 3 * LEASE_MS)).toBe(true);
    expect(await claimable(20 + 3 * (LEASE_MS / 1000) - 1)).toBeUndefined();
    const second = await claim(20 + 3 * (LEASE_MS / 1000));
    expect(await inbox.renew(first, LEASE_MS)).toBe(false);
    expect(await claimable(1000)).toBe('a1');
    expect(await inbox.renew(second, LEASE_MS)).toBe(false);
  });

  test('R-1: a delivery to retry has its turn before those that came after its time', async () => {
    const { inbox, claim } = await openInbox();
    await inbox.put([delivery('old', 'a')]);
    await inbox.retry(await claim(0), 10_000, 'GitHub is down');
    await inbox.put([delivery('early', 'b')]);
    expect(await claim(11)).toMatchObject({ id: 'early' });
    await inbox.put([delivery('late', 'c')]);
    expect(await claim(11)).toMatchObject({ id: 'old' });
    expect(await claim(11)).toMatchObject({ id: 'late' });
  });

  test('R-2: a delivery that was done is still known for a week, and takes no room after that', async () => {
    const { inbox, claim } = await openInbox();
    await inbox.put([delivery('a1')]);
    await inbox.done(await claim(0));
    expect(await bench.backend.query('select length(body) as bytes from inbox')).toEqual([{ bytes: 0 }]);
    expect(await inbox.put([delivery('a1', 'a', 6 * DAY)])).toEqual(['duplicate']);
    expect(await inbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
    await inbox.put([delivery('a2', 'a', 8 * DAY)]);
    expect(await bench.backend.query('select id from inbox')).toEqual([{ id: 'a2' }]);
  });

  test('R-2: lanes stay in order under the workers of two processes: no overlap, nothing twice', async () => {
    const { inbox } = await bench.open();
    const lanes = Array.from({ length: 6 }, (_, lane) => `lane-${lane}`);
    const wanted = Array.from({ length: 20 }, (_, index) => index);
    await inbox.put(
      wanted.flatMap((index) =>
        lanes.map((lane) => delivery(`${lane}/${String(index).padStart(2, '0')}`, lane)),
      ),
    );
    const children = [1, 2].map(() => startChild('workInbox', bench.backend, { count: 4 }));
    for (const child of children) expect(await child.nextLine()).toBe('ready');
    const worked: Worked[] = [];
    for (const child of children) worked.push(...JSON.parse((await child.nextLine()) ?? '[]'));
    expect(worked).toHaveLength(lanes.length * wanted.length);
    for (const lane of lanes) {
      const items = worked.filter((item) => item.lane === lane).sort((x, y) => (x.id < y.id ? -1 : 1));
      expect(new Set(items.map(({ id }) => id)).size).toBe(wanted.length);
      for (const [index, item] of items.slice(1).entries()) {
        expect(BigInt(item.from)).toBeGreaterThan(BigInt(items[index]?.to ?? 0));
      }
    }
  });
}
