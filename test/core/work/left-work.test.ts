import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Changeset } from '../../../src/core/work/changeset.ts';
import { copyLeftWork, dropLeftWork, readLeftWork, storeLeftWork } from '../../../src/core/work/left-work.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const workOf = (...paths: string[]): Changeset => ({
  base_sha: 'a'.repeat(40),
  files: paths.map((path) => ({ path, mode: '100644', status: 'modified', content: 'eA==' })),
  left_out: [],
});
const bytesOf = (work: Changeset) => new TextEncoder().encode(JSON.stringify(work));

/** A store that fails at one of its writes from then on. */
function openBlobs() {
  const stored = new Map<string, Uint8Array>();
  let left = Number.POSITIVE_INFINITY;
  return {
    stored,
    killAtWrite(number: number) {
      left = number - 1;
    },
    get: async (_run: string, name: string) => stored.get(name),
    async put(_run: string, name: string, bytes: Uint8Array) {
      if (left === 0) throw new Error('killed');
      left -= 1;
      stored.set(name, bytes);
      return true;
    },
  };
}

/** As a job sends it. */
async function send(blobs: ReturnType<typeof openBlobs>, work: Changeset): Promise<void> {
  await copyLeftWork(blobs, 'r1', bytesOf(work), hash);
  await blobs.put('r1', 'changeset', bytesOf(work));
}
const pathsLeft = async (blobs: ReturnType<typeof openBlobs>) =>
  (await readLeftWork(blobs, 'r1', hash))?.changeset.files.map(({ path }) => path);

test.each([
  ['as it was', [1, 2]],
  ['after a job has sent work of its own', [1]],
])(
  'R-2, V-5: a desk that is killed while it stores left work, %s, without one file: it is found again',
  async (how, writes) => {
    for (const number of writes) {
      const blobs = openBlobs();
      await storeLeftWork(blobs, 'r1', { changeset: workOf('a', 'b'), isSearched: true }, hash);
      if (how !== 'as it was') await send(blobs, workOf('of the job'));
      blobs.killAtWrite(number);
      const less = { changeset: workOf('a'), isSearched: true };
      await expect(storeLeftWork(blobs, 'r1', less, hash)).rejects.toThrow('killed');
      expect(await pathsLeft(blobs)).toEqual(['a', 'b']);
    }
  },
);

test('R-2, V-5: the same, after the changeset has it', async () => {
  const blobs = openBlobs();
  await storeLeftWork(blobs, 'r1', { changeset: workOf('a', 'b'), isSearched: true }, hash);
  blobs.killAtWrite(3);
  const less = { changeset: workOf('a'), isSearched: true };
  await expect(storeLeftWork(blobs, 'r1', less, hash)).rejects.toThrow('killed');
  expect(await pathsLeft(blobs)).toEqual(['a']);
});

test('V-5: left work is a copy of its own only while the changeset is another, on whatever commit', async () => {
  const blobs = openBlobs();
  await storeLeftWork(blobs, 'r1', { changeset: workOf('a'), isSearched: false }, hash);
  const note = blobs.stored.get('left-work');
  await send(blobs, { ...workOf('a'), base_sha: 'b'.repeat(40) });
  expect(blobs.stored.get('left-work')).toBe(note);
  await send(blobs, workOf('of the job'));
  await send(blobs, workOf('of the job', 'and more'));
  expect(await readLeftWork(blobs, 'r1', hash)).toEqual({
    changeset: { ...workOf('a'), base_sha: 'b'.repeat(40) },
    isSearched: false,
  });
  await dropLeftWork(blobs, 'r1');
  expect(await pathsLeft(blobs)).toBeUndefined();
});

test('V-5: a copy that an older version stored is read', async () => {
  const blobs = openBlobs();
  const old = JSON.stringify({ ...workOf('a'), was_searched: true });
  await blobs.put('r1', 'left-work', new TextEncoder().encode(old));
  expect(await readLeftWork(blobs, 'r1', hash)).toEqual({ changeset: workOf('a'), isSearched: true });
});
