import { describe, expect, test } from 'vitest';
import {
  Changeset,
  type ChangesetFile,
  type ChangesetLimits,
  checkChangeset,
} from '../../../src/core/work/changeset.ts';

const SHA = 'a'.repeat(40);
const OPEN: ChangesetLimits = { protectedPaths: [], approvedPaths: [], maxFiles: 'off' };

const file = (path: string, given: Partial<ChangesetFile> = {}): ChangesetFile => ({
  path,
  mode: '100644',
  status: 'modified',
  content: Buffer.from('text\n').toString('base64'),
  ...given,
});
const gone = (path: string) => file(path, { status: 'deleted', content: null });

function check(files: ChangesetFile[], limits: Partial<ChangesetLimits> = {}) {
  return checkChangeset({ base_sha: SHA, files, left_out: [] }, { ...OPEN, ...limits });
}
function problemsOf(files: ChangesetFile[], limits: Partial<ChangesetLimits> = {}) {
  const checked = check(files, limits);
  return checked.ok ? [] : checked.problems;
}

test('S-12: plain files of all kinds pass, as the commit takes them', () => {
  const files = [
    file('src/a.ts'),
    file('bin/run', { mode: '100755', status: 'added', content: '' }),
    gone('old.txt'),
    file('docs/Übersicht 日本.md'),
    file('.gitignore'),
    file('src/.github-notes.md'),
    file('digits/git~x'),
  ];
  expect(check(files)).toEqual({
    ok: true,
    files: files.map(({ path, mode, content }) => ({ path, mode, content })),
    workflows: [],
  });
});

describe('S-11, S-12: hostile paths', () => {
  test.each([
    ['../outside'],
    ['a/../../outside'],
    ['/etc/passwd'],
    ['a\0b'],
    ['a\nb'],
    [''],
    ['.'],
    ['a//b'],
    ['./a'],
    ['a/'],
    ['.git/config'],
    ['.GIT/hooks/pre-commit'],
    ['sub/.Git/config'],
    ['git~1/config'],
    ['GIT~2/config'],
    ['.git /config'],
    ['.git./config'],
    ['.git. . /config'],
    ['.git::$INDEX_ALLOCATION/config'],
    ['.g\u200cit/config'],
    ['\ufeff.git/config'],
    ['..\\outside'],
    ['.git\\config'],
    ['a\ud800b'],
    [`${'x'.repeat(300)}/a`],
    ['x/'.repeat(3000)],
  ])('the path %j is refused, even when approved', (path) => {
    for (const one of [file(path), gone(path)]) {
      const [problem] = problemsOf([one], { approvedPaths: ['**'] });
      expect(problem).toMatchObject({ kind: 'unsafe', path });
      expect(problem?.remedy).not.toBe('');
    }
  });

  test.each([
    ['twice', [file('a'), file('a')]],
    ['in two cases', [file('Readme.md'), file('README.md')]],
    ['composed and decomposed', [file('\u00e9.txt'), file('e\u0301.txt')]],
    ['as a file and as a directory', [file('lib'), file('lib/a')]],
    ['as a file and as a directory of another case', [file('Lib'), file('lib/deep/a')]],
  ])('one file %s is refused', (_, files) => {
    expect(problemsOf(files)).toMatchObject([{ kind: 'unsafe' }]);
  });

  test('a rename that changes only the case, and a file that became a directory, pass', () => {
    expect(check([gone('Readme.md'), file('README.md'), gone('lib'), file('lib/a')]).ok).toBe(true);
  });
});

describe('S-11: what is not a plain file', () => {
  test.each(['120000', '160000', '040000', '100664', ''])(
    'the mode %j is not read, and not taken unread',
    (mode) => {
      const changeset = { base_sha: SHA, files: [{ ...file('a'), mode }] };
      expect(Changeset.safeParse(changeset).success).toBe(false);
      expect(problemsOf([file('a', { mode: mode as '100644' })])).toMatchObject([{ kind: 'unsafe' }]);
    },
  );

  test.each([
    ['deleted, with content', file('a', { status: 'deleted' })],
    ['added, without content', file('a', { status: 'added', content: null })],
    ['not base64', file('a', { content: 'no base64!' })],
    ['base64 cut short', file('a', { content: 'YWJ' })],
    ['padding inside', file('a', { content: 'YQ==YQ==' })],
    ['a lone sign of padding', file('a', { content: 'Y=A=' })],
  ])('%s is refused', (_, one) => {
    expect(problemsOf([one])).toMatchObject([{ kind: 'unsafe', path: 'a' }]);
  });

  test.each(['', 'abc', SHA.toUpperCase(), `${SHA}0`])('the base %j is not one', (base_sha) => {
    expect(Changeset.safeParse({ base_sha, files: [] }).success).toBe(false);
  });
});

describe('protected paths', () => {
  test('S-8: files below .github need an approval, workflows are told apart', () => {
    const files = [
      file('.github/CODEOWNERS'),
      file('.github/workflows/ci.yml'),
      file('.GitHub/Workflows/x.yml'),
    ];
    expect(problemsOf(files).map(({ path, kind }) => [path, kind])).toEqual([
      ['.github/CODEOWNERS', 'protected'],
      ['.github/workflows/ci.yml', 'workflow'],
      ['.GitHub/Workflows/x.yml', 'workflow'],
    ]);
    expect(problemsOf(files)[1]?.remedy).toContain('Workflows: write');
    const [comma] = problemsOf([file('.github/x,**')]);
    expect(comma?.remedy).toBe('Approve it with: /approve');
  });

  test('approved, they pass; the workflows among them are named for the permission they need', () => {
    const files = [file('.github/CODEOWNERS'), file('.github/workflows/ci.yml')];
    expect(check(files, { approvedPaths: ['.github/**', '.github/CODEOWNERS'] })).toMatchObject({
      ok: true,
      workflows: ['.github/workflows/ci.yml'],
    });
    expect(check(files, { approvedPaths: ['.github/CODEOWNERS'] }).ok).toBe(false);
  });

  test('a file in the place of a directory above a protected path is protected', () => {
    const protectedPaths = ['infra/prod/**', './certs/*.pem', '**/*.key'];
    const kinds = (path: string) => problemsOf([file(path)], { protectedPaths }).map(({ kind }) => kind);
    for (const path of ['infra', 'Infra', 'infra/prod', '.github', '.github/workflows', 'certs'])
      expect([path, kinds(path)]).toEqual([path, ['protected']]);
    for (const path of ['infr', 'infra/production', 'infrastructure', 'cert'])
      expect([path, kinds(path)]).toEqual([path, []]);
  });

  test('what the config protects is protected in any case of its letters; submodules always are', () => {
    const limits = { protectedPaths: ['deploy/**', 'LICENSE'] };
    const files = [file('Deploy/prod.yml'), file('license'), file('.gitmodules'), file('src/deploy.ts')];
    expect(problemsOf(files, limits).map(({ path }) => path)).toEqual([
      'Deploy/prod.yml',
      'license',
      '.gitmodules',
    ]);
  });

  test('E-6: outside of the scope is found again here, whatever the job said', () => {
    const limits = { scope: ['src/auth/**'], approvedPaths: ['docs/**'] };
    const files = [file('src/auth/a.ts'), file('src/pay/b.ts'), file('docs/c.md')];
    expect(problemsOf(files, limits)).toMatchObject([{ path: 'src/pay/b.ts', kind: 'out_of_scope' }]);
  });
});

describe('sizes and counts', () => {
  test('E-5: more files than were allowed need an approval; approved paths do not count', () => {
    const files = Array.from({ length: 21 }, (_, n) => file(`src/f${n}.ts`));
    expect(problemsOf(files, { maxFiles: 20 })).toMatchObject([
      { kind: 'too_many', remedy: 'Approve them with: /approve files=21' },
    ]);
    expect(check(files, { maxFiles: 21 }).ok).toBe(true);
    expect(check(files, { maxFiles: 20, approvedPaths: ['src/f7.ts'] }).ok).toBe(true);
  });

  test('one file, all files, and their number have a limit each', () => {
    const content = Buffer.alloc(100).toString('base64');
    const files = [file('a', { content }), file('b', { content })];
    expect(check(files, { maxFileBytes: 100, maxTotalBytes: 200, maxCount: 2 }).ok).toBe(true);
    expect(problemsOf(files, { maxFileBytes: 99 })).toMatchObject([
      { path: 'a', kind: 'too_large' },
      { path: 'b', kind: 'too_large' },
    ]);
    expect(problemsOf(files, { maxTotalBytes: 199 })).toMatchObject([{ path: '', kind: 'too_large' }]);
    expect(problemsOf(files, { maxCount: 1 })).toMatchObject([{ path: '', kind: 'too_large' }]);
  });

  test('a file of 50 MiB is measured, not swallowed', () => {
    const content = 'AAAA'.repeat((50 * 1024 * 1024) / 3);
    expect(problemsOf([file('big.bin', { content })])).toMatchObject([
      { path: 'big.bin', kind: 'too_large' },
    ]);
  });
});
