import { describe, expect, test } from 'vitest';
import type { Verification } from '../../../src/core/contracts/verification.ts';
import type { Job, WorkOrders } from '../../../src/runner/job/job.ts';
import { checkConflicts, needsNoAgent, withConflicts } from '../../../src/runner/job/merge-round.ts';
import { PASSING, tests } from '../../core/run-builder.ts';
import { makeWorktree } from '../temporary-worktree.ts';

const update = { branch: 'main', sha: 'b'.repeat(40), conflicts: ['a.txt', 'b.txt'] };
const revision = { number: 2, by: 'ann', source: 'update', remarks: [], update } as const;
const parts = {
  added: [],
  files: [
    {
      path: 'a.txt',
      head: null,
      before: null,
      commits: { head: ['1111111 walter: Remove it'], base: ['2222222 olivia: Change it'] },
    },
  ],
};

const jobWith = (conflicts: string[], worktree = ''): Job =>
  ({ merge: { parts, conflicts, gone: new Set() }, workspace: { worktree } }) as unknown as Job;
const orders = (changes: object = {}): WorkOrders =>
  ({ kind: 'normal', answers: [], feedback: PASSING, revision, ...changes }) as unknown as WorkOrders;

describe('V-6: a merge without a conflict needs no agent', () => {
  test.each([
    ['nothing else was asked for', [], {}, true],
    ['a file conflicts', ['a.txt'], {}, false],
    ['the checks failed on it', [], { feedback: tests(3, 5) }, false],
    ['a remark is open', [], { revision: { ...revision, remarks: [{ id: 'R1' }] } }, false],
    ['a person said more', [], { revision: { ...revision, instruction: 'Be careful' } }, false],
    ['a person answered', [], { answers: [{ id: 'a1' }] }, false],
    ['it is another round', [], { revision: { ...revision, update: undefined } }, false],
  ])('%s', (_, conflicts, changes, isNeedless) => {
    expect(needsNoAgent(jobWith(conflicts), orders(changes))).toBe(isNeedless);
  });
});

describe('V-6: a conflict that is left', () => {
  const marked = '<<<<<<< pull-request\nours\n=======\ntheirs\n>>>>>>> base-branch\n';
  const check = (files: Record<string, string>): Promise<Verification> =>
    checkConflicts(jobWith(['a.txt', 'gone.txt'], makeWorktree(files).worktree), PASSING);

  test('fails a check of its own, so that the agent hears of it', async () => {
    const found = await check({ 'a.txt': marked });
    expect(found.ok).toBe(false);
    expect(found.checks.at(-1)).toMatchObject({
      command: 'no conflict markers',
      ok: false,
      output_tail: 'a.txt still has conflict markers',
    });
  });

  test('is none where the file is resolved or deleted', async () => {
    expect(await check({ 'a.txt': 'both\n' })).toEqual(PASSING);
  });
});

test('V-6: the agent is told which files conflict, and by which commits', () => {
  expect(withConflicts(jobWith(['a.txt', 'renamed.txt']), update)).toEqual({
    branch: 'main',
    sha: update.sha,
    conflicts: ['a.txt', 'renamed.txt'],
    sides: [
      {
        path: 'a.txt',
        head: ['deletes the file', '1111111 walter: Remove it'],
        base: ['2222222 olivia: Change it'],
      },
    ],
  });
});
