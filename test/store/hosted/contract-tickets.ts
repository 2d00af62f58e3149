import { expect, test } from 'vitest';
import type { Bench } from './backend.ts';
import { asking, at, request } from './commits.ts';

const BUILD = { op: 'r1.1.0', run: 'r1', job: 1, kind: 'build' };
const VERIFY = { op: 'r1.2.0', run: 'r1', job: 2, kind: 'verify', verification: '1.0' };

export function testTickets(bench: Bench): void {
  const openTickets = async () => {
    const { runs, tickets } = await bench.open();
    for (const run of ['r1', 'r2'])
      await runs.commit(run, 0, { ...request(run), effects: [{ type: 'dispatch_job', job: 1 }] });
    await runs.commit('r1', 1, asking(2, [{ type: 'dispatch_verification', job: 2, verification: '1.0' }]));
    await tickets.add({ hash: 'ticket', op: BUILD.op, expires_at: at(60) });
    return tickets;
  };
  const claim = (actions_run: number, attempt: number, seconds: number) => ({
    actions_run,
    attempt,
    now: at(seconds),
  });

  test('R-5: a ticket is taken once per Actions run, and again by a later attempt of that run', async () => {
    const tickets = await openTickets();
    expect(await tickets.redeem('ticket', claim(900, 1, 1))).toBe(true);
    expect(await tickets.redeem('ticket', claim(900, 1, 2))).toBe(false);
    expect(await tickets.redeem('ticket', claim(901, 2, 2))).toBe(false);
    expect(await tickets.find('ticket')).toMatchObject({ actions_run: 900, attempt: 1 });
    expect(await tickets.redeem('ticket', claim(900, 2, 3))).toBe(true);
    expect(await tickets.redeem('ticket', claim(900, 1, 4))).toBe(false);
    expect(await tickets.find('ticket')).toMatchObject({ actions_run: 900, attempt: 2 });
  });

  test('a ticket that is unknown or too old is none, and one for no dispatch is not made', async () => {
    const tickets = await openTickets();
    expect(await tickets.redeem('other', claim(900, 1, 1))).toBe(false);
    expect(await tickets.redeem('ticket', claim(900, 1, 60))).toBe(false);
    expect(await tickets.redeem('ticket', claim(900, 1, 59))).toBe(true);
    await expect(tickets.add({ hash: 'x', op: 'none', expires_at: at(60) })).rejects.toThrow();
    await expect(tickets.addToken('x', 'none')).rejects.toThrow();
  });

  test('of several that come with one ticket at once, through two instances, one gets it', async () => {
    const stores = [await openTickets(), (await bench.open()).tickets];
    const taken = await Promise.all(
      [900, 901, 902, 903].map((actionsRun, index) =>
        stores[index % 2]?.redeem('ticket', claim(actionsRun, 1, 1)),
      ),
    );
    expect(taken.filter((is) => is)).toEqual([true]);
  });

  test('a ticket is shown as it is, without being taken', async () => {
    const tickets = await openTickets();
    const fresh = { ...BUILD, expires_at: at(60), revoked: false };
    expect(await tickets.find('other')).toBeUndefined();
    expect(await tickets.find('ticket')).toEqual(fresh);
    await tickets.redeem('ticket', { ...claim(900, 3, 1), nonce: 'n1' });
    expect(await tickets.find('ticket')).toEqual({ ...fresh, actions_run: 900, attempt: 3, nonce: 'n1' });
    await tickets.redeem('ticket', claim(900, 4, 1));
    expect(await tickets.find('ticket')).toEqual({ ...fresh, actions_run: 900, attempt: 4 });
  });

  test('S-17: a dispatch has one token; only a later attempt gets another, which ends the first', async () => {
    const tickets = await openTickets();
    await tickets.redeem('ticket', claim(900, 1, 1));
    expect(await tickets.addToken('one', BUILD.op)).toBe('added');
    expect(await tickets.addToken('check', VERIFY.op)).toBe('added');
    expect(await tickets.findToken('one')).toEqual(BUILD);
    expect(await tickets.findToken('check')).toEqual(VERIFY);
    expect(await tickets.findToken('three')).toBeUndefined();
    expect(await tickets.addToken('two', BUILD.op)).toBe('taken');
    expect(await tickets.addToken('one', BUILD.op)).toBe('added');
    expect(await tickets.findToken('two')).toBeUndefined();
    await tickets.redeem('ticket', claim(900, 2, 2));
    expect(await tickets.findToken('one')).toBeUndefined();
    expect(await tickets.findToken('check')).toEqual(VERIFY);
    expect(await tickets.addToken('two', BUILD.op)).toBe('added');
    expect(await tickets.findToken('two')).toEqual(BUILD);
  });

  test('R-5: of tokens that are made at once, one is left', async () => {
    const tickets = await openTickets();
    const stores = [tickets, (await bench.open()).tickets];
    for (let round = 1; round <= 15; round += 1) {
      await tickets.redeem('ticket', claim(900, round, 1));
      const hashes = [0, 1, 2, 3].map((index) => `token-${round}-${index}`);
      const added = await Promise.all(
        hashes.map((hash, index) => stores[index % 2]?.addToken(hash, BUILD.op)),
      );
      expect(added.toSorted()).toEqual(['added', 'taken', 'taken', 'taken']);
      expect(await bench.backend.query('select hash from tokens')).toHaveLength(1);
    }
  });

  test('R-5: a dispatch whose ticket came twice loses its tokens and tickets, and no other does', async () => {
    const tickets = await openTickets();
    await tickets.add({ hash: 'second', op: VERIFY.op, expires_at: at(60) });
    await tickets.addToken('one', BUILD.op);
    await tickets.addToken('two', VERIFY.op);
    await tickets.revoke(BUILD.op);
    expect(await tickets.findToken('one')).toBeUndefined();
    expect(await tickets.redeem('ticket', claim(900, 1, 1))).toBe(false);
    expect(await tickets.addToken('one', BUILD.op)).toBe('revoked');
    expect(await tickets.findToken('two')).toEqual(VERIFY);
    expect(await tickets.find('second')).toMatchObject({ revoked: false });
  });

  test('S-17: who is locked out by a decision loses token, ticket and job with it, and without it nothing', async () => {
    const tickets = await openTickets();
    const { runs, dispatches } = await bench.open();
    await tickets.addToken('one', BUILD.op);
    await tickets.addToken('two', VERIFY.op);
    const lockedOut = { op: BUILD.op, outcome: 'used twice' };
    const after = async () => ({
      token: (await tickets.findToken('one')) !== undefined,
      revoked: (await tickets.find('ticket'))?.revoked,
      outcome: (await dispatches.find(BUILD.op))?.outcome,
    });
    const untouched = { token: true, revoked: false, outcome: undefined };
    expect(await runs.commit('r1', 1, { ...asking(3, []), lockedOut })).toEqual({ ok: false });
    expect(await after()).toEqual(untouched);
    expect(await runs.commit('r1', 2, { ...asking(3, []), lockedOut })).toMatchObject({ ok: true });
    expect(await after()).toEqual({ token: false, revoked: true, outcome: 'used twice' });
    expect(await tickets.addToken('one', BUILD.op)).toBe('revoked');
    expect(await tickets.findToken('two')).toEqual(VERIFY);
  });
}
