import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../src/core/contracts/run-state.ts';
import type { RunTarget } from '../../../src/core/ports/run-target.ts';
import type { Changeset, ChangesetFile } from '../../../src/core/work/changeset.ts';
import {
  changesetLimits,
  digestOfFile,
  examineWork,
  readChangeset,
} from '../../../src/core/work/examine-work.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { proposed } from '../../guards/guard-events.ts';
import { startRun } from '../run-builder.ts';

const SHA = 'a'.repeat(40);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const file = (path: string, more: object = {}): ChangesetFile => ({
  path,
  mode: '100644',
  status: 'added',
  content: base64('text\n'),
  ...more,
});
const bytes = (changeset: object) => new TextEncoder().encode(JSON.stringify(changeset));
const read = (files: object[], more: object = {}) =>
  readChangeset(bytes({ base_sha: SHA, files, ...more }), SHA);

function changesetOf(paths: string[]) {
  const found = read(paths.map((path) => file(path)));
  if (!found.ok) throw new Error(found.problem);
  return found.changeset;
}

describe('S-12: what no commit is ever made of', () => {
  test.each([
    ['no JSON', new TextEncoder().encode('{'), 'not valid at the top'],
    ['broken UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 'not valid at the top'],
    ['a link', bytes({ base_sha: SHA, files: [file('l', { mode: '120000' })] }), 'not valid at files.0.mode'],
    ['another base', bytes({ base_sha: 'b'.repeat(40), files: [file('a')] }), `the run builds on ${SHA}`],
    ['a path outside', bytes({ base_sha: SHA, files: [file('../a')] }), '"../a": '],
    ['no base64', bytes({ base_sha: SHA, files: [file('a', { content: '?' })] }), 'not base64'],
    ['too many files', bytes({ base_sha: SHA, files: Array(3001).fill(file('a')) }), 'at most 3000'],
  ])('%s', (_, sent, problem) => {
    expect(readChangeset(sent, SHA)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });

  test('what a person can approve is no fault', () => {
    expect(read([file('.github/workflows/ci.yml'), file('.gitmodules')])).toMatchObject({ ok: true });
  });

  test('where nothing is changed the base does not matter', () => {
    expect(readChangeset(bytes({ base_sha: 'b'.repeat(40), files: [] }), SHA)).toMatchObject({ ok: true });
  });
});

describe('what the desk finds in finished work', () => {
  const hash = (text: string) => `<${text}>`;
  const limitsFor = (
    run: RunState,
    target: Pick<RunTarget, 'protected_paths'>,
    work: Pick<Changeset, 'files'>,
  ) => changesetLimits(run, target, work, RULES.limitsInForce(run.limits), hash);
  const { state } = startRun({ task: { scope: ['src/**'] }, guards: { files_modified_exceeds: 2 } });
  const limits = limitsFor(state, { protected_paths: ['src/keys/**'] }, { files: [] });

  test('every path that needs a person, with why', () => {
    const work = examineWork(
      changesetOf(['.github/workflows/ci.yml', 'src/keys/a', 'docs/b']),
      'digest',
      limits,
      [],
      hash,
    );
    const digest = expect.stringMatching(/^<100644:/);
    expect(work).toEqual({
      digest: 'digest',
      files: 3,
      changed: 3,
      paths: ['.github/workflows/ci.yml', 'src/keys/a', 'docs/b'],
      problems: [
        {
          path: '.github/workflows/ci.yml',
          why: 'workflow',
          reasons: ['out_of_scope', 'workflow'],
          guarded_by: ['.github/**'],
          digest,
        },
        { path: 'src/keys/a', why: 'protected', reasons: ['protected'], guarded_by: ['src/keys/**'], digest },
        { path: 'docs/b', why: 'out_of_scope', reasons: ['out_of_scope'], digest },
        { path: 'docs/b', why: 'file_limit', digest },
      ],
      secrets: [],
    });
  });

  test('R-8: a file is approved with its content and its mode, whatever else is in the work', () => {
    const ci = file('.github/ci', { content: base64('good') });
    const approved_files = [{ path: ci.path, digest: digestOfFile(ci, hash) }];
    const openIn = (...files: ChangesetFile[]) => {
      const changeset = { base_sha: SHA, files, left_out: [] };
      const allowed = limitsFor({ ...state, approved_files }, {}, changeset);
      return examineWork(changeset, 'digest', allowed, [], hash).problems.map(({ path }) => path);
    };
    expect(openIn(ci, file('src/new'))).toEqual([]);
    expect(openIn({ ...ci, content: base64('evil') })).toEqual([ci.path]);
    expect(openIn({ ...ci, mode: '100755' })).toEqual([ci.path]);
    expect(openIn({ ...ci, content: null, status: 'deleted' })).toEqual([ci.path]);
    expect(openIn({ ...ci, path: '.github/other' })).toEqual(['.github/other']);
  });

  test('R-8: a file is no pattern, whatever it is called', () => {
    const star = file('.github/**');
    const approved_files = [{ path: star.path, digest: digestOfFile(star, hash) }];
    const files = [star, file('.github/ci')];
    const changeset = { base_sha: SHA, files, left_out: [] };
    const allowed = limitsFor({ ...state, approved_files }, {}, changeset);
    expect(examineWork(changeset, 'digest', allowed, [], hash).problems).toMatchObject([
      { path: '.github/ci' },
    ]);
  });

  test.each([
    ['**', 'docs/a'],
    ['[a-z].ts', 'b.ts'],
    ['lib', 'lib/a'],
  ])('E-10: the name %j of an approved file covers no other file, such as %j', (name, other) => {
    const run = startRun({ task: { scope: ['src/**'] } }).beginTurn();
    run.observe(proposed(name, 'out_of_scope', [], ['src/**'])).trip();
    run.say('/approve');
    const examine = (path: string) => {
      const work = changesetOf([path]);
      return examineWork(work, 'digest', limitsFor(run.state, {}, work), [], hash);
    };
    expect(examine(name)).toMatchObject({ files: 0, problems: [] });
    expect(examine(other)).toMatchObject({ files: 1, problems: [{ path: other, why: 'out_of_scope' }] });
  });

  test('approved paths neither count nor wait', () => {
    const approved = { ...limits, approvedPaths: ['docs/**', '.github/**'] };
    const work = examineWork(changesetOf(['.github/a', 'docs/b', 'src/c']), 'digest', approved, [], hash);
    expect(work).toMatchObject({ files: 1, problems: [] });
  });

  test('S-13: files that hold a secret, by key', () => {
    const changeset = changesetOf(['src/a', 'src/b']);
    Object.assign(changeset.files[1] ?? {}, { content: base64('key = "S3CRETvalue99"') });
    const secrets = [{ key: 'api_key', value: 'S3CRETvalue99' }];
    const work = examineWork(changeset, 'digest', limits, secrets, hash);
    expect(work.secrets).toEqual([{ path: 'src/b', key: 'api_key' }]);
    expect(JSON.stringify(work)).not.toContain('S3CRET');
  });
});
