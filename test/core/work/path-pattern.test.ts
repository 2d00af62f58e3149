import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { isInScope, isUsablePattern, matchesPattern } from '../../../src/core/work/path-pattern.ts';
import { expectLinear } from '../../expect-linear.ts';

test.each([
  ['src/**/*.ts', 'src/a/.hidden/b.ts', true],
  ['src/**/*.ts', 'src/b.ts', true],
  ['src/*.ts', 'src/a/b.ts', false],
  ['src/?.ts', 'src/a.ts', true],
  ['src/[a-c].ts', 'src/b.ts', true],
  ['src/[!a-c].ts', 'src/b.ts', false],
  ['{src,test}/**', 'test/a.ts', true],
  ['src/{a,b{c,d}}.ts', 'src/bd.ts', true],
  ['!src/**', 'lib/a.ts', false],
  ['pages/[id].tsx', 'pages/[id].tsx', true],
  ['.github/**', '.github/workflows/ci.yml', true],
  ['src/auth', 'src/auth/x.ts', true],
  ['src/auth', 'src/authx/x.ts', false],
  ['./src/auth/', 'src/auth/x.ts', true],
  ['', 'a.ts', false],
  ['ü*', 'über.txt', true],
  ['?', '🙂', true],
])('the pattern %j and %j: %j', (pattern, path, expected) => {
  expect(matchesPattern(pattern, path)).toBe(expected);
});

test.each([
  ['authentication', 'lib/authentication.ts', true],
  ['authentication', 'test/authentication.test.ts', true],
  ['Authentication', 'src/authentication/x.ts', true],
  ['authentication', 'src/my-authentication.ts', false],
])('E-6: the module %j and %j: %j', (entry, path, expected) => {
  expect(isInScope(path, [entry])).toBe(expected);
});

test('a pattern means what it does elsewhere', () => {
  const reference = (glob: string, file: string) =>
    glob === file ||
    (/[*?[\]{}]/.test(glob) ? picomatch(glob, { dot: true })(file) : file.startsWith(`${glob}/`));
  const name = fc.stringMatching(/^[ab.]{1,3}$/).filter((text) => !/^\.+$/.test(text));
  const part = fc.oneof(name, fc.constantFrom('*', '**', 'a*', '*.b', '?', '[ab]', '{a,b}', '*a*'));
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(pattern, path, (glob, file) => {
      // Whether the directory itself belongs to "all below it" depends, in the other library, on how the directory is written.
      fc.pre(!/[*?\]}]\/\*\*$/.test(glob));
      expect({ glob, file, matches: matchesPattern(glob, file) }).toEqual({
        glob,
        file,
        matches: reference(glob, file),
      });
    }),
    { numRuns: 2_000, seed: 7 },
  );
  expect(picomatch('a/**')('a')).toBe(matchesPattern('a/**', 'a'));
});

/** Often enough to be measured, and the short names first, which end even where the long ones would not. */
function expectLinearMatch(match: (size: number) => boolean, sizes: number[]): void {
  const matchOften = (size: number) => {
    for (let times = 0; times < 50; times += 1) expect(match(size)).toBe(false);
  };
  for (const size of sizes) expectLinear(matchOften, size);
}

test.each(['*a*a*a*a*b', `${'*a'.repeat(60)}b`, '**/a/**/a/**/b', '**/*a*/**/*a*b'])(
  'the pattern %j, made to take for ever, takes time by the length of the path',
  (pattern) => {
    expectLinearMatch((size) => matchesPattern(pattern, 'a'.repeat(size)), [16, 250]);
    expectLinearMatch((size) => matchesPattern(pattern, 'a/'.repeat(size)), [8, 125]);
    expectLinearMatch((size) => matchesPattern(pattern, `${'a'.repeat(60)}/`.repeat(size)), [4]);
  },
);

test('a pattern that stands for very many is not written out', () => {
  expectLinearMatch((size) => matchesPattern('{a,b}'.repeat(size), 'a'), [4, 10]);
});

test.each(['a', './a', 'a/', 'a/**', '**/*.pem', '[id].tsx', '{a,b}/c', ' a ', 'a.b/c..d'])(
  'the pattern %j can match something',
  (pattern) => {
    expect(isUsablePattern(pattern)).toBe(true);
  },
);

test.each([
  '',
  ' ',
  './',
  '/a',
  '/',
  'a//b',
  'a/./b',
  '../a',
  'a/..',
  '!a',
  ' !a',
  'a\\b',
  '*a*a*a*a*a*a',
  'x'.repeat(257),
  `{${'a,'.repeat(64)}a}`,
])('the pattern %j can match nothing, so it protects nothing', (pattern) => {
  expect(isUsablePattern(pattern)).toBe(false);
});
