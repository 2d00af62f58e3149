import { expect, test } from 'vitest';
import type { Bench } from './backend.ts';
import { note, request, target } from './commits.ts';

export function testRecords(bench: Bench): void {
  test('R-2: a comment is found by its operation and by its id', async () => {
    const { comments } = await bench.open();
    const comment = { comment_id: 4_000_000_001, node_id: 'IC_x', body_hash: 'h1' };
    expect(await comments.find('r1', 'r1.1.0')).toBeUndefined();
    await comments.save('r1', 'r1.1.0', comment);
    await comments.save('r1', 'r1.1.0', { ...comment, body_hash: 'h2' });
    expect(await comments.find('r1', 'r1.1.0')).toEqual({ ...comment, body_hash: 'h2' });
    expect(await comments.find('r2', 'r1.1.0')).toBeUndefined();
    expect(await comments.byComment(4_000_000_001)).toEqual({ run: 'r1', op: 'r1.1.0', body_hash: 'h2' });
    await comments.save('r1', 'r1.2.0', { ...comment, body_hash: 'h3' });
    expect(await comments.byComment(4_000_000_001)).toEqual({ run: 'r1', op: 'r1.2.0', body_hash: 'h3' });
    expect(await comments.byComment(5)).toBeUndefined();
  });

  test('a mark is what was set last, also after reopening', async () => {
    const store = await bench.open();
    expect(await store.marks.get('cursor:77')).toBeUndefined();
    await store.marks.set('cursor:77', 'a');
    await store.marks.set('cursor:77', 'b');
    await store.close();
    expect(await (await bench.open()).marks.get('cursor:77')).toBe('b');
  });

  test('a blob is the newest of its name, byte for byte, until its run is forgotten', async () => {
    const { blobs } = await bench.open();
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    for (const name of ['changeset', 'checkpoint']) {
      expect(await blobs.get('r1', name)).toBeUndefined();
      await blobs.put('r1', name, Buffer.from('old'));
      await blobs.put('r1', name, bytes);
      await blobs.put('r2', name, new Uint8Array());
      expect(Buffer.from((await blobs.get('r1', name)) ?? []).equals(bytes)).toBe(true);
      expect(await blobs.get('r2', name)).toHaveLength(0);
    }
    await blobs.forget('r1');
    expect(await blobs.get('r1', 'changeset')).toBeUndefined();
    expect(await blobs.get('r1', 'checkpoint')).toBeUndefined();
    expect(await blobs.get('r2', 'checkpoint')).toHaveLength(0);
  });

  test('a blob that goes with one version of its run is not kept for another', async () => {
    const { blobs, runs } = await bench.open();
    const text = async () => Buffer.from((await blobs.get('r1', 'changeset')) ?? []).toString();
    expect(await blobs.put('r1', 'changeset', Buffer.from('early'), 1)).toBe(false);
    await runs.commit('r1', 0, { ...request('r1'), target: target(1) });
    expect(await blobs.put('r1', 'changeset', Buffer.from('one'), 1)).toBe(true);
    await runs.commit('r1', 1, note(1));
    expect(await blobs.put('r1', 'changeset', Buffer.from('late'), 1)).toBe(false);
    expect(await text()).toBe('one');
    expect(await blobs.put('r1', 'changeset', Buffer.from('two'), 2)).toBe(true);
    expect(await text()).toBe('two');
  });

  test('of a blob and a commit that come together the blob is first, or it is not kept', async () => {
    const [one, other] = [await bench.open(), await bench.open()];
    await one.runs.commit('r1', 0, { ...request('r1'), target: target(1) });
    for (let version = 1; version <= 10; version += 1) {
      const bytes = Buffer.from(String(version));
      const [kept, committed] = await Promise.all([
        one.blobs.put('r1', 'changeset', bytes, version),
        other.runs.commit('r1', version, note(version)),
      ]);
      expect(committed.ok).toBe(true);
      const found = Buffer.from((await one.blobs.get('r1', 'changeset')) ?? []).equals(bytes);
      expect(found).toBe(kept);
      expect(await other.blobs.put('r1', 'changeset', Buffer.from('late'), version)).toBe(false);
    }
  });
}
