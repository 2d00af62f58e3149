import { expect, test } from 'vitest';
import { SealError } from '../../../src/store/seal.ts';
import { type Bench, KEY, OTHER_KEY } from './backend.ts';
import { delivery } from './commits.ts';

export function testSecrets(bench: Bench): void {
  const raw = async (table: string, column: string): Promise<string> => {
    const rows = await bench.backend.query(`select ${column} as bytes from ${table}`);
    return rows.map(({ bytes }) => Buffer.from(bytes as Uint8Array).toString('latin1')).join('\n');
  };

  test('P-4: a value is found by its reference, and only in its run', async () => {
    const { vault } = await bench.open();
    const url = await vault.put('r1', 'url', 'https://x.example');
    const token = await vault.put('r1', 'token', 'a "quoted"\nvalue \0 登录');
    const foreign = await vault.put('r2', 'token', 'not yours');
    expect(new Set([url, token, foreign]).size).toBe(3);
    expect(await vault.open('r1', [url, token])).toEqual({
      url: 'https://x.example',
      token: 'a "quoted"\nvalue \0 登录',
    });
    expect(await vault.open('r1', [foreign, 'input-1', '__proto__'])).toEqual({});
    expect(await vault.open('r1', [])).toEqual({});
    const newer = await vault.put('r1', 'url', 'https://y.example');
    expect(await vault.open('r1', [url, newer])).toEqual({ url: 'https://y.example' });
    await vault.forget('r1');
    expect(await vault.open('r1', [url, token, newer])).toEqual({});
    expect(await vault.open('r2', [foreign])).toEqual({ token: 'not yours' });
  });

  test('R-11: values, checkpoints, changesets and deliveries that may carry a value are not in clear in the database', async () => {
    const { vault, blobs, inbox } = await bench.open();
    await vault.put('r1', 'token', 'hunter2');
    await blobs.put('r1', 'checkpoint', Buffer.from('session of hunter2'));
    await blobs.put('r1', 'changeset', Buffer.from('work with hunter2'));
    const comment = '{"body":"/Provide token=hunter2"}';
    await inbox.put([{ ...delivery('d'), payload: '/provide token=hunter2' }]);
    await inbox.put([{ ...delivery('e'), payload: comment }]);
    for (const [table, column] of [
      ['inputs', 'sealed'],
      ['blobs', 'bytes'],
      ['inbox', 'body'],
    ] as const) {
      const stored = await raw(table, column);
      expect(stored.length).toBeGreaterThan(30);
      expect(stored).not.toContain('hunter2');
    }
  });

  test('R-11: a changeset that was stored before changesets were sealed is still read', async () => {
    const { blobs } = await bench.open();
    await blobs.put('r1', 'changeset', Buffer.from('{"files":[]}'));
    const plain = Buffer.from('{"old":1}').toString('hex');
    const bytes = bench.backend.where.file ? `x'${plain}'` : `'\\x${plain}'`;
    await bench.backend.query(`update blobs set bytes = ${bytes}`);
    expect(String(Buffer.from((await blobs.get('r1', 'changeset')) ?? []))).toBe('{"old":1}');
  });

  test('R-11: a sealed value that was moved to another place or changed does not open', async () => {
    const { vault, blobs } = await bench.open();
    const mine = await vault.put('r1', 'token', 'mine');
    const theirs = await vault.put('r2', 'token', 'theirs');
    await bench.backend.query(
      `update inputs set sealed = (select sealed from inputs where ref = '${theirs}') where ref = '${mine}'`,
    );
    await expect(vault.open('r1', [mine])).rejects.toThrow('changed or moved');
    expect(await vault.open('r2', [theirs])).toEqual({ token: 'theirs' });
    await bench.backend.query(`update inputs set key = 'url' where ref = '${theirs}'`);
    await expect(vault.open('r2', [theirs])).rejects.toThrow(SealError);
    await blobs.put('r1', 'checkpoint', Buffer.from('mine'));
    await bench.backend.query(`update blobs set run = 'r2'`);
    await expect(blobs.get('r2', 'checkpoint')).rejects.toThrow(SealError);
  });

  test('R-11: a new key takes over: first beside the old one, then alone for what it sealed', async () => {
    const first = await bench.open(KEY);
    const old = await first.vault.put('r1', 'old', 'under the old key');
    const comment = { ...delivery('d'), payload: '{"body":"/Provide token=x"}' };
    await first.inbox.put([comment]);
    await first.close();
    const both = await bench.open(`${OTHER_KEY}, ${KEY}`);
    const fresh = await both.vault.put('r1', 'fresh', 'under the new key');
    expect(await both.vault.open('r1', [old, fresh])).toEqual({
      old: 'under the old key',
      fresh: 'under the new key',
    });
    expect(await both.inbox.claim(1000)).toMatchObject(comment);
    await both.close();
    const { vault } = await bench.open(OTHER_KEY);
    expect(await vault.open('r1', [fresh])).toEqual({ fresh: 'under the new key' });
    const opened = vault.open('r1', [old]);
    if (bench.backend.resealsValues) expect(await opened).toEqual({ old: 'under the old key' });
    else await expect(opened).rejects.toThrow('Add the old key behind the new one');
  });

  test('R-11: a wrong key is refused when the store is opened, and the right one still fits', async () => {
    const store = await bench.open(KEY);
    const ref = await store.vault.put('r1', 'token', 'x');
    await store.close();
    const { wrongKey = 'The key does not fit this database' } = bench.backend;
    await expect(bench.open(OTHER_KEY)).rejects.toThrow(wrongKey);
    expect(await (await bench.open(KEY)).vault.open('r1', [ref])).toEqual({ token: 'x' });
  });

  test.each(['', 'short', `${KEY},`, 'x'.repeat(64), Buffer.alloc(31).toString('base64')])(
    'R-11: "%s" is not a key, and the message does not repeat it',
    async (key) => {
      const refused = await bench.open(key).catch((error: Error) => error);
      expect(refused).toBeInstanceOf(SealError);
      expect(String(refused)).toContain('is not 32 bytes in base64 or hex');
      if (key !== '') expect(String(refused)).not.toContain(key);
    },
  );
}
