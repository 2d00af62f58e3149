import { expect, test } from 'vitest';
import type { Bench } from './backend.ts';
import { at } from './commits.ts';

export function testTokens(bench: Bench): void {
  const build = { run: 'r1', job: 1, kind: 'build' as const };
  const openTokens = async () => {
    const { tokens } = await bench.open();
    await tokens.addTicket({ hash: 'ticket', ...build, expires_at: at(60) });
    return tokens;
  };

  test('a ticket is taken once per Actions run, and again by a later attempt of that run', async () => {
    const tokens = await openTokens();
    expect(await tokens.actionsRunOf('r1', 1)).toBeUndefined();
    expect(await tokens.redeemTicket('ticket', 900, 1, at(1))).toEqual(build);
    expect(await tokens.redeemTicket('ticket', 900, 1, at(2))).toBeUndefined();
    expect(await tokens.redeemTicket('ticket', 901, 2, at(2))).toBeUndefined();
    expect(await tokens.actionsRunOf('r1', 1)).toEqual({ actions_run: 900, attempt: 1 });
    expect(await tokens.redeemTicket('ticket', 900, 2, at(3))).toEqual(build);
    expect(await tokens.redeemTicket('ticket', 900, 1, at(4))).toBeUndefined();
    expect(await tokens.actionsRunOf('r1', 1)).toEqual({ actions_run: 900, attempt: 2 });
  });

  test('a ticket that is unknown or too old is none', async () => {
    const tokens = await openTokens();
    expect(await tokens.redeemTicket('other', 900, 1, at(1))).toBeUndefined();
    expect(await tokens.redeemTicket('ticket', 900, 1, at(60))).toBeUndefined();
    expect(await tokens.redeemTicket('ticket', 900, 1, at(59))).toEqual(build);
  });

  test('of several that come with one ticket at once, through two instances, one gets it', async () => {
    const stores = [await openTokens(), (await bench.open()).tokens];
    const taken = await Promise.all(
      [900, 901, 902, 903].map((actionsRun, index) =>
        stores[index % 2]?.redeemTicket('ticket', actionsRun, 1, at(1)),
      ),
    );
    expect(taken.filter((job) => job)).toEqual([build]);
  });

  test('a token speaks for its job until a successor has one', async () => {
    const tokens = await openTokens();
    await tokens.addToken({ hash: 'one', ...build });
    await tokens.addToken({ hash: 'two', run: 'r1', job: 2, kind: 'verify' });
    await tokens.addToken({ hash: 'else', run: 'r2', job: 1, kind: 'build' });
    await tokens.redeemTicket('ticket', 900, 1, at(1));
    expect(await tokens.findToken('one')).toEqual(build);
    expect(await tokens.findToken('three')).toBeUndefined();
    await tokens.revokeBefore('r1', 2);
    expect(await tokens.findToken('one')).toBeUndefined();
    expect(await tokens.findToken('two')).toEqual({ run: 'r1', job: 2, kind: 'verify' });
    expect(await tokens.findToken('else')).toMatchObject({ run: 'r2' });
    expect(await tokens.redeemTicket('ticket', 900, 2, at(2))).toBeUndefined();
    expect(await tokens.actionsRunOf('r1', 1)).toEqual({ actions_run: 900, attempt: 1 });
  });

  test('a ticket is shown as it is, without being taken', async () => {
    const tokens = await openTokens();
    const fresh = { ...build, expires_at: at(60), revoked: false };
    expect(await tokens.findTicket('other')).toBeUndefined();
    expect(await tokens.findTicket('ticket')).toEqual(fresh);
    await tokens.redeemTicket('ticket', 900, 3, at(1));
    expect(await tokens.findTicket('ticket')).toEqual({ ...fresh, actions_run: 900, attempt: 3 });
    await tokens.revokeBefore('r1', 2);
    expect(await tokens.findTicket('ticket')).toMatchObject({ revoked: true, actions_run: 900 });
  });
}
