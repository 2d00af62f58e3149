import { expect, test } from 'vitest';
import type { Bench } from './backend.ts';
import { at, note, request, target } from './commits.ts';
import { openWithClock } from './test-clock.ts';

export function testRecords(bench: Bench): void {
  test('R-2: a comment is known from its first try on, and keeps the time of it', async () => {
    const { store, setClock } = await openWithClock(bench);
    const { comments } = store;
    expect(await comments.find('r1.1.0')).toBeUndefined();
    const tried = { op: 'r1.1.0', run: 'r1', tried_at: at(0), minimised: false };
    expect(await comments.save('r1.1.0', { run: 'r1', kind: 'review' })).toEqual(tried);
    await setClock(60);
    const written = { comment_id: 4_000_000_001, node_id: 'IC_x', body_hash: 'h1', escalation: 'e1' };
    expect(await comments.save('r1.1.0', written)).toEqual({ ...tried, ...written });
    await comments.save('r1.1.0', { body_hash: 'h2', minimised: true, node_id: undefined });
    const newest = { ...tried, ...written, body_hash: 'h2', minimised: true };
    expect(await comments.find('r1.1.0')).toEqual(newest);
    expect(await comments.save('r1.1.0', {})).toEqual(newest);
    expect(await comments.save('77-9.x', {})).toEqual({ op: '77-9.x', tried_at: at(60), minimised: false });
  });

  test('R-2: the newest operation on a comment is found by its id', async () => {
    const { comments } = await bench.open();
    const comment = { run: 'r1', comment_id: 4_000_000_001, node_id: 'IC_x' };
    await comments.save('r1.1.0', comment);
    await comments.save('r1.2.0', { ...comment, body_hash: 'h3' });
    await comments.save('r1.1.0', { body_hash: 'h4' });
    expect(await comments.ofComment(4_000_000_001)).toMatchObject({ op: 'r1.2.0', body_hash: 'h3' });
    expect(await comments.ofComment(5)).toBeUndefined();
  });

  test('R-10: the newest comment of a kind is found, of its run, also of those before another', async () => {
    const { comments } = await bench.open();
    for (const op of ['r1.1.0', 'r1.2.0', 'r2.1.0'])
      await comments.save(op, { run: op.slice(0, 2), kind: 'review' });
    await comments.save('r1.3.0', { run: 'r1', kind: 'status' });
    expect(await comments.newest('r1', 'review')).toMatchObject({ op: 'r1.2.0' });
    expect(await comments.newest('r1', 'receipt')).toBeUndefined();
    await comments.save('r1.4.0', { run: 'r1', kind: 'review' });
    await comments.save('r1.2.0', { run: 'r1', body_hash: 'h' });
    expect(await comments.newest('r1', 'review', 'r1.4.0')).toMatchObject({ op: 'r1.2.0' });
    expect(await comments.newest('r1', 'review', 'r1.2.0')).toMatchObject({ op: 'r1.1.0' });
    for (const before of ['r1.1.0', 'unknown'])
      expect(await comments.newest('r1', 'review', before)).toBeUndefined();
  });

  test('of two tries at once the comment is one, with what both know', async () => {
    const [one, other] = [await bench.open(), await bench.open()];
    await Promise.all([
      one.comments.save('r1.1.0', { run: 'r1' }),
      other.comments.save('r1.1.0', { comment_id: 5 }),
      one.comments.save('r1.1.0', { node_id: 'IC_x' }),
    ]);
    const found = await other.comments.find('r1.1.0');
    expect(found).toMatchObject({ run: 'r1', comment_id: 5, node_id: 'IC_x' });
    expect(await bench.backend.query('select op from sent_comments')).toHaveLength(1);
  });

  test('what is known of the published work is added to, and taken back', async () => {
    const { runs, publications } = await bench.open();
    await runs.commit('r1', 0, { ...request('r1'), target: target(1) });
    expect(await publications.of('r1')).toEqual({});
    await publications.change('r1', { head: 'a', pull: 5, label: 'working', unpublished: null });
    await publications.change('r1', { head: 'b', label: undefined });
    expect(await publications.of('r1')).toEqual({ head: 'b', pull: 5, unpublished: null });
    expect(await publications.of('r2')).toEqual({});
  });

  test('R-7: changes of one publication at once, through two instances, are all kept', async () => {
    const stores = [await bench.open(), await bench.open()];
    await stores[0]?.runs.commit('r1', 0, { ...request('r1'), target: target(1) });
    const changes = [
      { head: 'a' },
      { branch: 'b' },
      { label: 'c' },
      { check: 'd' },
      { content: 'e' },
      { report_run: 6 },
    ];
    await Promise.all(changes.map((change, index) => stores[index % 2]?.publications.change('r1', change)));
    expect(await stores[0]?.publications.of('r1')).toEqual(Object.assign({}, ...changes));
  });

  test('a pull request belongs to the newest run that published there', async () => {
    const { runs, publications } = await bench.open();
    for (const run of ['r1', 'r2']) await runs.commit(run, 0, { ...request(run), target: target(1) });
    await publications.change('r2', { pull: 5 });
    await publications.change('r1', { pull: 5 });
    expect(await publications.ofPull(77, 5)).toBe('r2');
    await publications.change('r2', { pull: 6 });
    expect(await publications.ofPull(77, 5)).toBe('r1');
    expect(await publications.ofPull(78, 5)).toBeUndefined();
  });

  test('our own commits are known by issue, the newest last', async () => {
    const { publications } = await bench.open();
    for (let index = 0; index < 60; index += 1) await publications.addOwnCommit(77, 1, `sha-${index}`);
    await publications.addOwnCommit(77, 1, 'sha-59');
    await publications.addOwnCommit(77, 2, 'other');
    const own = await publications.ownCommits(77, 1);
    expect(own).toHaveLength(50);
    expect([own[0], own.at(-1)]).toEqual(['sha-10', 'sha-59']);
    expect(await publications.ownCommits(78, 1)).toEqual([]);
  });

  test('a cursor is what was set last, also after reopening, and nothing else changes', async () => {
    const store = await bench.open();
    const { cursors } = store;
    expect(await cursors.get('labels', 'acme/shop')).toBeUndefined();
    await cursors.set('labels', 'acme/shop', { read_at: at(0) });
    await cursors.set('labels', 'acme/shop', { read_at: at(1) });
    await cursors.set('labels', 'acme/till', { read_at: at(2) });
    await cursors.set('redelivery', 'acme/shop', { tries: 1, after: '' });
    await store.close();
    const reopened = (await bench.open()).cursors;
    expect(await reopened.get('labels', 'acme/shop')).toEqual({ read_at: at(1) });
    expect(await reopened.get('labels', 'acme/till')).toEqual({ read_at: at(2) });
    expect(await reopened.get('redelivery', 'acme/shop')).toEqual({ tries: 1, after: '' });
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
