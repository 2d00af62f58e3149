import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Remark } from '../../../src/core/contracts/revision.ts';
import { applyReviewers, withApplied } from '../../../src/runner/job/apply-suggestions.ts';
import type { Job, WorkOrders } from '../../../src/runner/job/job.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'suggest-'));
  await mkdir(join(root, 'tree/src'), { recursive: true });
  await writeFile(join(root, 'tree/src/a.ts'), 'one\ntwo\nthree\n');
  await writeFile(join(root, 'outside.ts'), 'one\n');
  await writeFile(join(root, 'tree/picture.png'), Buffer.from([0xff, 0xfe, 0x0a, 0x00]));
  await symlink(join(root, 'outside.ts'), join(root, 'tree/link.ts'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function remark(id: string, path: string, original: string, changes: Partial<Remark> = {}): Remark {
  const suggestion = { start: 1, end: 1, original, replacement: `${id} was here` };
  return { ...{ id, author: 'hubert', path, text: '', now: { line: 1 }, suggestion }, ...changes };
}

async function apply(remarks: Remark[], changed: object[] = []): Promise<string[]> {
  const workspace = { worktree: join(root, 'tree'), changes: async () => changed };
  const job = { workspace } as unknown as Job;
  await applyReviewers(job, { revision: { remarks } } as unknown as WorkOrders);
  return withApplied(job, remarks).flatMap(({ id, applied }) => (applied ? [id] : []));
}

test('V-3: a suggestion is applied where its lines are as the reviewer saw them; the others are left to the agent', async () => {
  const applied = await apply([
    remark('R1', 'src/a.ts', 'one'),
    remark('R2', 'src/a.ts', 'two', { now: { line: 3 } }),
    remark('R3', 'src/a.ts', 'gone', { now: undefined }),
    remark('R4', 'src/deleted.ts', 'one'),
    remark('R5', 'picture.png', 'one'),
  ]);
  expect(applied).toEqual(['R1']);
  expect(await readFile(join(root, 'tree/src/a.ts'), 'utf8')).toBe('R1 was here\ntwo\nthree\n');
});

test('S-12, V-3: a suggestion changes no file outside of the worktree', async () => {
  expect(await apply([remark('R1', 'link.ts', 'one'), remark('R2', '../outside.ts', 'one')])).toEqual([]);
  expect(await readFile(join(root, 'outside.ts'), 'utf8')).toBe('one\n');
});

test('V-3: once there is other work, the agent decides', async () => {
  expect(await apply([remark('R1', 'src/a.ts', 'one')], [{ path: 'src/b.ts' }])).toEqual([]);
  expect(await readFile(join(root, 'tree/src/a.ts'), 'utf8')).toBe('one\ntwo\nthree\n');
});
