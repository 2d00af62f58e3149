import { expect, test } from 'vitest';
import { readUpdate } from '../../../src/app/revise/read-update.ts';
import type { MergedPath, MergeSides } from '../../../src/core/ports/github/merge-port.ts';

const MIB = 1024 * 1024;
const entry = (sha: string, mode = '100644') => ({ mode, sha });
/** A file of the pull request that the base does not have. */
const ours = (path: string, mode?: string): MergedPath => ({
  ...{ path, before: undefined, head: entry('1'.repeat(40), mode), base: undefined },
});
const sidesOf = (...paths: MergedPath[]): MergeSides => ({
  paths,
  commits: { head: [], base: [{ sha: 'b'.repeat(40), author: 'olivia', title: 'Of main' }] },
});

async function read(sides: MergeSides | 'too_large' | undefined, { bytes = 1, workflow_files = true } = {}) {
  let blobs = 0;
  const github = {
    mergeSides: async () => sides,
    commitsOf: async () => [],
    async blob() {
      blobs += 1;
      return Buffer.alloc(bytes).toString('base64');
    },
  };
  const deps = { hash: (text: string) => text, settings: { capabilities: { workflow_files } } };
  const place = { branch: 'main', base: 'b'.repeat(40), head: 'a'.repeat(40) };
  const update = await readUpdate(deps as never, github as never, place);
  return { update, blobs };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => ours(`many/${index}.txt`));
const CI = '.github/workflows/ci.yml';

test.each([
  ['no commit in common', undefined, 'it has no commit in common with `main`.'],
  ['more files than GitHub lists', 'too_large', 'the repository has more files than GitHub lists at once.'],
  ['301 files', sidesOf(...many(301)), 'the pull request changes more than 300 files.'],
  ['a link', sidesOf(ours('a', '120000')), '`a` is a link or a submodule, which a round cannot merge.'],
  [
    'a submodule',
    sidesOf(ours('sub', '160000')),
    '`sub` is a link or a submodule, which a round cannot merge.',
  ],
  [
    'a device',
    sidesOf(ours('con.txt')),
    '`con.txt` cannot be committed: "con.txt" is the name of a device on Windows.',
  ],
  [
    'a line break',
    sidesOf(ours('a\nb')),
    '`a b` cannot be committed: the path contains control or broken characters.',
  ],
  ['a name that is no text', sidesOf(ours('caf\uFFFD.txt')), 'the name of `caf\uFFFD.txt` is not UTF-8.'],
] as const)('V-6: an update with %s is refused before anything is read', async (_, sides, refused) => {
  const remedy = 'Merge `main` into the branch yourself; the next round builds on that.';
  expect(await read(sides)).toEqual({ update: { refused, remedy }, blobs: 0 });
});

test('V-6: 300 files are no problem, and neither is a file that only the base has changed to a link', async () => {
  const theirs = {
    path: 'theirs',
    before: entry('2'.repeat(40)),
    head: entry('2'.repeat(40)),
    base: entry('3', '120000'),
  };
  const { update } = await read(sidesOf(...many(300), theirs));
  expect(update).toMatchObject({ update: { conflicts: [] } });
});

test('V-6: files of more than 30 MiB are refused, and no more of them is read than that', async () => {
  const { update, blobs } = await read(sidesOf(...many(300)), { bytes: 8 * MIB });
  expect(update).toMatchObject({ refused: 'its files are too large to be merged here.' });
  expect(blobs).toBe(3);
});

test('V-6: a workflow file is refused at once where nobody can grant the permission for it, and tried elsewhere', async () => {
  const { update } = await read(sidesOf(ours(CI)), { workflow_files: false });
  expect(update).toMatchObject({ refused: `GitHub does not let Actions commit \`${CI}\`.` });
  expect((await read(sidesOf(ours(CI)))).update).toMatchObject({ update: { branch: 'main' } });
});
