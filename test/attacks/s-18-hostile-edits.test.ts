import { expect, test } from 'vitest';
import type { GateEdit } from '../../src/core/contracts/gate.ts';
import { proposedContent } from '../../src/runner/gate/proposed-content.ts';
import { makeWorktree } from '../runner/temporary-worktree.ts';

const MANY = 400_000;
const BLANK_FILE = '\n'.repeat(2_000_000);

function patchOf(body: string): GateEdit {
  return { patch: `*** Begin Patch\n*** Update File: a.txt\n${body}*** End Patch` };
}

async function contentOf(before: string, edit: GateEdit) {
  const tree = makeWorktree({ 'a.txt': before });
  return proposedContent(tree.worktree, { path: 'a.txt', given: 'a.txt' }, edit, 4_000);
}

/** Each of these would keep the runner from its clock, its heartbeat and the freeze for minutes, or for ever. */
test.each<[string, string, GateEdit]>([
  ['a patch whose context nearly fits everywhere', BLANK_FILE, patchOf(`${' \n'.repeat(MANY)}-x\n`)],
  ['a patch of very many hunks', BLANK_FILE, patchOf('@@\n \n'.repeat(MANY / 2))],
  [
    'very many replacements',
    'a'.repeat(2_000_000),
    { replace: Array.from({ length: 20_000 }, () => ({ old: 'a', new: 'a', all: true })) },
  ],
  [
    'replacements that double the text each time',
    'aaaa',
    { replace: Array.from({ length: 60 }, () => ({ old: 'a', new: 'aa', all: true })) },
  ],
  [
    'an edit of a file over 2 MiB',
    `${'a'.repeat(2 * 1024 * 1024)}b`,
    { replace: [{ old: 'b', new: 'c', all: false }] },
  ],
])('S-18: %s is given up', async (_, before, edit) => {
  expect(await contentOf(before, edit)).toBeUndefined();
});

test('S-18: two texts of very many lines are not compared, and have a digest all the same', async () => {
  const content = await contentOf(BLANK_FILE, { content: 'x\n'.repeat(MANY) });
  expect(content).toMatchObject({ diff: 'Too long to compare: 2000000 lines before, 400000 after.' });
  expect(content?.digest).toMatch(/^[0-9a-f]{64}$/);
});

test('S-18: an ordinary patch and ordinary replacements of a large file are worked out', async () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');
  const patched = await contentOf(before, patchOf('@@\n line 18999\n-line 19000\n+changed\n'));
  expect(patched?.diff).toContain('-line 19000\n+changed');
  const replaced = await contentOf(before, {
    replace: [{ old: 'line 19000\n', new: 'changed\n', all: false }],
  });
  expect(replaced?.digest).toBe(patched?.digest);
});
