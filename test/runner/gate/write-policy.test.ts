import { describe, expect, test } from 'vitest';
import { isInScope } from '../../../src/core/work/path-pattern.ts';
import { judgeWrite } from '../../../src/runner/gate/write-policy.ts';
import { expectLinear } from '../../expect-linear.ts';

const files = (count: number) => new Set(Array.from({ length: count }, (_, n) => `src/f${n + 1}.ts`));

function judge(path: string, given: Partial<Parameters<typeof judgeWrite>[0]> = {}) {
  return judgeWrite({
    path,
    changed: new Set(),
    maxFiles: 20,
    approvedPaths: [],
    scope: undefined,
    ...given,
  });
}

describe('E-5: the number of files', () => {
  test('E-5: the 20th file passes, the 21st is stopped with the 20 and the proposed one', () => {
    expect(judge('src/f20.ts', { changed: files(19) })).toEqual({ ok: true });
    const verdict = judge('src/f21.ts', { changed: files(20) });
    expect(verdict).toMatchObject({ ok: false, why: 'file_limit', path: 'src/f21.ts', limit: 20 });
    expect(verdict.ok === false && verdict.why === 'file_limit' && verdict.changed).toHaveLength(20);
  });

  test('E-5: a file that was changed before never counts twice, however it is spelled', () => {
    expect(judge('src/f7.ts', { changed: files(20) })).toEqual({ ok: true });
    expect(judge('./src//f7.ts', { changed: files(20) })).toEqual({ ok: true });
  });

  test('E-5: an approved limit or an approved path lets it through', () => {
    expect(judge('src/f21.ts', { changed: files(20), maxFiles: 30 })).toEqual({ ok: true });
    expect(judge('src/f21.ts', { changed: files(20), approvedPaths: ['src/f21.ts'] })).toEqual({ ok: true });
    expect(judge('src/f22.ts', { changed: files(20), approvedPaths: ['src/f21.ts'] }).ok).toBe(false);
    expect(judge('src/f21.ts', { changed: files(500), maxFiles: 'off' })).toEqual({ ok: true });
  });
});

describe('E-6: the scope', () => {
  test('E-6: with "authentication" in scope the "payment" module is stopped, with the scope and the path', () => {
    const scope = ['authentication'];
    expect(judge('src/authentication/login.ts', { scope })).toEqual({ ok: true });
    expect(judge('src/payment/charge.ts', { scope })).toEqual({
      ok: false,
      why: 'out_of_scope',
      path: 'src/payment/charge.ts',
      scope,
    });
  });

  test('E-6: the 16th file within scope is fine', () => {
    const changed = new Set([...files(15)].map((path) => path.replace('src', 'src/authentication')));
    expect(judge('src/authentication/f16.ts', { changed, scope: ['src/authentication/**'] })).toEqual({
      ok: true,
    });
  });

  test('E-6: no scope declared, never out of scope; an empty one lets nothing through', () => {
    expect(judge('anything/at/all.ts')).toEqual({ ok: true });
    expect(judge('anything/at/all.ts', { scope: [] })).toMatchObject({ why: 'out_of_scope' });
  });

  test.each([
    ['**', 'src/orders/order.ts'],
    ['[a-z].ts', 'b.ts'],
    ['src/{a,b}', 'src/a'],
    ['src', 'src/orders/order.ts'],
    [' x ', 'x'],
  ])('E-6: approved by its name, %j is in scope and %j is not', (name, other) => {
    const given = { scope: ['authentication'], approvedNames: [name] };
    expect(judge(name, given)).toEqual({ ok: true });
    expect(judge(other, given)).toMatchObject({ why: 'out_of_scope' });
    const full = { changed: files(20), approvedNames: [name] };
    expect(judge(name, full)).toEqual({ ok: true });
    expect(judge(other, full)).toMatchObject({ why: 'file_limit' });
  });

  test('E-6: an approved path is in scope', () => {
    const given = { scope: ['authentication'], approvedPaths: ['src/payment/**'] };
    expect(judge('src/payment/charge.ts', given)).toEqual({ ok: true });
    expect(judge('src/orders/order.ts', given)).toMatchObject({ why: 'out_of_scope' });
  });

  test.each([
    ['authentication', 'lib/authentication.ts', true],
    ['authentication', 'test/authentication.test.ts', true],
    ['Authentication', 'src/authentication/x.ts', true],
    ['authentication', 'src/authentication-old/x.ts', false],
    ['authentication', 'src/my-authentication.ts', false],
    ['src/auth', 'src/auth/deep/x.ts', true],
    ['./src/auth/', 'src/auth/x.ts', true],
    ['src/auth', 'src/authx/x.ts', false],
    ['src/auth', 'lib/src/auth/x.ts', false],
    ['package.json', 'package.json', true],
    ['src/**/*.ts', 'src/a/.hidden/b.ts', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['{src,test}/**', 'test/a.ts', true],
    ['!src/**', 'lib/a.ts', false],
    ['', 'a.ts', false],
  ])('E-6: the entry %j and %j: %j', (entry, path, expected) => {
    expect(isInScope(path, [entry])).toBe(expected);
  });

  test('E-6: more wildcards than are allowed cost no more time', () => {
    const name = 'a'.repeat(30);
    const path = 'a/'.repeat(30);
    const match = (stars: number) => {
      expect(isInScope(name, [`${'*a'.repeat(stars)}b`])).toBe(false);
      expect(isInScope(path, [`${'**/a/'.repeat(stars)}b`])).toBe(false);
    };
    expectLinear(match, 3);
    expectLinear((size) => void isInScope('a'.repeat(size), ['+(a+(a+(a)))b']), 6);
  });

  test('E-6: a pattern made to take for ever matches nothing', () => {
    const names = ['a'.repeat(250), `${'a'.repeat(250)}/`.repeat(15), 'a/'.repeat(2000)];
    const patterns = [
      '*a*a*a*b',
      '*a*a*ab',
      `${'*a'.repeat(60)}b`,
      '+(a+(a+(a)))b',
      '**/a/**/a/**/b',
      '**/*a*/**/*a*b',
    ];
    for (const name of names) {
      for (const pattern of patterns) {
        expect(isInScope(name, [pattern])).toBe(false);
      }
    }
    expect(isInScope('packages/api/src/x/y.test.ts', ['packages/*/src/**/*.test.*'])).toBe(true);
  });
});

test.each(['../a.ts', '/etc/passwd', '.git/hooks/pre-commit', 'a\0b', ''])(
  'the path %j is invalid, even when approved',
  (path) => {
    expect(judge(path, { approvedPaths: ['**'] })).toMatchObject({ ok: false, why: 'invalid_path', path });
  },
);
