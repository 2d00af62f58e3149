import { describe, expect, test } from 'vitest';
import type { BaseUpdate } from '../../../src/core/contracts/revision.ts';
import type { RunState } from '../../../src/core/contracts/run-state.ts';
import type { ChangesetFile } from '../../../src/core/work/changeset.ts';
import { changesetLimits, digestOfFile, examineWork } from '../../../src/core/work/examine-work.ts';
import { unresolvedIn, withReverted } from '../../../src/core/work/judge-merge.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { startRun } from '../run-builder.ts';

const BASE = 'b'.repeat(40);
const hash = (text: string) => `<${text}>`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const file = (path: string, text: string): ChangesetFile => ({
  ...{ path, mode: '100644', status: 'modified', content: base64(text) },
});

/** A task whose scope is src, and a pull request that people have given a file outside of it. */
const update: BaseUpdate = {
  ...{ branch: 'main', sha: BASE, conflicts: ['src/both.ts'] },
  kept: ['docs/by-hand.md', '.github/workflows/ci.yml', 'src/ours.ts'].map((path) => ({
    path,
    digest: digestOfFile(file(path, 'as in the head'), hash),
  })),
};
const { state } = startRun({ task: { scope: ['src/**'] } });
const round = { ...state, revision: { update } } as unknown as RunState;

function problemsOf(files: ChangesetFile[]): string[] {
  const judged = { base_sha: BASE, files: withReverted(files, update), left_out: [] };
  const limits = changesetLimits(round, {}, judged, RULES.limitsInForce(state.limits), hash);
  return examineWork(judged, 'digest', limits, [], hash).problems.map(({ path, why }) => `${path}: ${why}`);
}

const KEPT = ['docs/by-hand.md', '.github/workflows/ci.yml', 'src/ours.ts'].map((path) =>
  file(path, 'as in the head'),
);

describe('V-6: what an update changes', () => {
  test('files that are in the head already, byte for byte, are nobody’s change', () => {
    expect(problemsOf([...KEPT, file('src/both.ts', 'joined')])).toEqual([]);
  });

  test('another content or mode of such a file needs a person, as it would in any round', () => {
    const [doc, workflow, ours] = KEPT as [ChangesetFile, ChangesetFile, ChangesetFile];
    expect(problemsOf([file(doc.path, 'other'), workflow, ours])).toEqual(['docs/by-hand.md: out_of_scope']);
    expect(problemsOf([doc, { ...workflow, mode: '100755' }, ours])).toEqual([
      '.github/workflows/ci.yml: workflow',
    ]);
  });

  test('a file that would be smuggled in as one of the base needs a person', () => {
    expect(problemsOf([...KEPT, file('docs/of-main.md', 'not as in main')])).toEqual([
      'docs/of-main.md: out_of_scope',
    ]);
  });

  test('so does a file of the pull request that has the base’s content again', () => {
    expect(problemsOf(KEPT.slice(1))).toEqual(['docs/by-hand.md: out_of_scope']);
    expect(problemsOf(KEPT.slice(0, 2))).toEqual([]);
  });
});

test.each([
  ['<<<<<<< pull-request\nours\n', true],
  ['text\r\n>>>>>>> base-branch\r\n', true],
  ['<<<<<<< pull-request:old/name.ts\n', true],
  ['<<<<<<< HEAD\nan example in the documentation\n>>>>>>> main\n', false],
  ['a title\n=======\n', false],
  ['', false],
])('V-6: a marker that the merge has left: %j', (text, isLeft) => {
  expect(unresolvedIn([{ path: 'a', content: base64(text) }])).toEqual(isLeft ? ['a'] : []);
});

test('V-6: a file that the merge deletes has no marker', () => {
  expect(unresolvedIn([{ path: 'a', content: null }])).toEqual([]);
});
