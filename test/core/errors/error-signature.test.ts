import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ErrorSighting } from '../../../src/core/contracts/verification.ts';
import { normalizeError, resultSignature, sightErrors } from '../../../src/core/errors/error-signature.ts';
import { expectLinear } from '../../expect-linear.ts';

const sample = (name: string) =>
  readFileSync(new URL(`../../fixtures/test-output/${name}`, import.meta.url), 'utf8');
const places = (output: string) =>
  sightErrors(output).map(({ message, file, line }) => [message, file, line]);

describe('normalizeError', () => {
  test.each([
    ['Unexpected token (3:5) in src/a.ts:41:7', 'Unexpected token (12:1) in src/a.ts:99:1'],
    ['src/a.ts(41,7): bad', 'src/a.ts(2,1): bad'],
    ['SyntaxError at line 12, column 4', 'SyntaxError at line 3, column 1'],
    ['Unexpected end of JSON input at position 12', 'Unexpected end of JSON input at position 480'],
    ['object at 0x7f6e5c84c690', 'object at 0x7fb193df6b50'],
    ['2026-01-02T03:04:05.678Z failed', '2027-11-12T13:14:15.001Z failed'],
    ['[12:01:02] failed', '[23:59:58] failed'],
    ['took 431ms', 'took 1.2s'],
    ['timed out after 30 seconds', 'timed out after 60 seconds'],
    ['run 123e4567-e89b-12d3-a456-426614174000 gone', 'run 9f8e7d6c-0000-4000-8000-abcdefabcdef gone'],
    ['object 5ce1092b9f not found', 'object 83facade11 not found'],
    ["ENOENT: open '/tmp/x-8fa2/config.json'", "ENOENT: open '/tmp/y-11/config.json'"],
    ["ENOENT: open '/var/folders/zz/T/a1b2'", "ENOENT: open '/var/folders/yy/T/c3'"],
    [
      'open C:\\Users\\me\\AppData\\Local\\Temp\\a1\\b.txt',
      'open C:\\Users\\you\\AppData\\Local\\Temp\\c2\\b.txt',
    ],
    ['(node:4711) Warning: x', '(node:12) Warning: x'],
    ['process with pid 4711 died', 'process with pid 12 died'],
    ["thread 'main' (3806) panicked", "thread 'main' (99) panicked"],
    ['connect ECONNREFUSED 127.0.0.1:54321', 'connect ECONNREFUSED 127.0.0.1:40001'],
    [
      'listen EADDRINUSE: address already in use :::3000',
      'listen EADDRINUSE: address already in use :::3001',
    ],
    ['http://localhost:3000/x refused', 'http://localhost:4123/x refused'],
    ['\x1b[31mTypeError\x1b[39m: x', 'TypeError: x'],
  ])('E-1: %j and %j are the same error', (one, other) => {
    expect(normalizeError(one)).toBe(normalizeError(other));
  });

  test.each([
    ['expected 4 to be 5', 'expected 3 to be 5'],
    ["expected '3s' to be '4s'", "expected '3s' to be '5s'"],
    ['expected 200 "OK", got 404', 'expected 200 "OK", got 403'],
    ['Found 2 errors', 'Found 1 error'],
    ["Cannot find module '/tmp/wt/src/a.js'", "Cannot find module '/tmp/wt/src/b.js'"],
    ["reading 'name'", "reading 'id'"],
    ['TS2345: bad', 'TS2322: bad'],
  ])('E-1: %j and %j are different errors', (one, other) => {
    expect(normalizeError(one)).not.toBe(normalizeError(other));
  });

  test('is stable when applied twice', () => {
    const once = normalizeError('at /tmp/a1/x.ts:3:4 after 12ms 0xff on port 8080');
    expect(normalizeError(once)).toBe(once);
  });
});

describe('sightErrors on what tools print', () => {
  test.each([
    [
      'vitest-failing.txt',
      [
        ["TypeError: Cannot read properties of null (reading 'name')", 'src/auth.ts', 2],
        ['AssertionError: expected 4 to be 5 // Object.is equality', 'src/auth.test.ts', 11],
      ],
    ],
    [
      'vitest-coloured.txt',
      [
        ["TypeError: Cannot read properties of null (reading 'name')", 'src/auth.ts', 2],
        ['AssertionError: expected 4 to be 5 // Object.is equality', 'src/auth.test.ts', 11],
      ],
    ],
    [
      'tsc.txt',
      [
        ["TS2322: Type 'number' is not assignable to type 'string'.", 'src/b.ts', 1],
        ["TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.", 'src/b.ts', 1],
      ],
    ],
    [
      'tsc-pretty.txt',
      [
        ["TS2322: Type 'number' is not assignable to type 'string'.", 'src/b.ts', 1],
        ["TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.", 'src/b.ts', 1],
      ],
    ],
    ['biome.txt', [['This is an unexpected use of the debugger statement.', 'a.ts', 2]]],
    [
      'jest-failing.txt',
      [
        ["TypeError: Cannot read properties of null (reading 'name')", 'src/auth.js', 2],
        [
          'expect(received).toBe(expected) // Object.is equality (Expected: 5, Received: 4)',
          'test/auth.test.js',
          10,
        ],
        ["Cannot find module '../src/missing' from 'test/broken.test.js'", 'test/broken.test.js', 1],
      ],
    ],
    [
      'mocha-failing.txt',
      [
        ["TypeError: Cannot read properties of null (reading 'name')", 'src/auth.js', 2],
        ['AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:', 'test/auth.js', 14],
      ],
    ],
    [
      'pytest-failing.txt',
      [
        ['AssertionError: assert (2 + 2) == 5', 'test_auth.py', 10],
        ["TypeError: 'NoneType' object is not subscriptable", 'test_auth.py', 4],
        ['ValueError: no session 0x7f3a2c', 'test_auth.py', 25],
      ],
    ],
    ['pytest-not-collected.txt', [["ModuleNotFoundError: No module named 'requestz'", 'test_dep.py', 1]]],
    [
      'python-traceback.txt',
      [["ModuleNotFoundError: No module named 'nothere'", '/home/dev/demo/run.py', 2]],
    ],
    [
      'go-failing.txt',
      [
        ['got "", want "a"', 'auth_test.go', 14],
        ['got "x", want ""', 'auth_test.go', 14],
        ['undefined: render', 'web/page_test.go', 9],
      ],
    ],
    [
      'go-panic.txt',
      [
        [
          'panic: runtime error: invalid memory address or nil pointer dereference',
          '/home/dev/demo/auth/auth.go',
          12,
        ],
      ],
    ],
    ['cargo-not-compiled.txt', [['error[E0308]: mismatched types', 'b/src/lib.rs', 4]]],
    [
      'cargo-failing.txt',
      [['panicked: assertion `left == right` failed (left: 4, right: 5)', 'a/src/lib.rs', 6]],
    ],
    [
      'node-test-tap.txt',
      [
        ['4 == 5', '/home/dev/demo/a.test.mjs', 5],
        ['x', '/home/dev/demo/a.test.mjs', 7],
        ["Cannot read properties of null (reading 'x')", '/home/dev/demo/a.test.mjs', 9],
      ],
    ],
  ])('E-1: %s: each message with file and line', (name, expected) => {
    expect(places(sample(name))).toEqual(expected);
  });

  test.each([
    ['error: pathspec is unknown', 'error: pathspec is unknown'],
    ['fatal: not a git repository', 'fatal: not a git repository'],
    [
      'npm error code ENOENT\nnpm error Missing script: "buidl"\nnpm error A complete log is in /x',
      'npm error Missing script: "buidl"',
    ],
    ['npm ERR! code ELIFECYCLE\nnpm ERR! Missing script: "x"', 'npm error Missing script: "x"'],
    ['sh: 1: frobnicate: not found', 'sh: 1: frobnicate: not found'],
    ['a.c:3:5: error: expected expression', 'expected expression'],
    ['Segmentation fault (core dumped)\n\n', 'Segmentation fault (core dumped)'],
    ['make: *** [Makefile:3: test] Error 1', 'exited with an error: make: *** [Makefile:3: test] Error 1'],
  ])('E-1: a single failure %j is seen', (output, message) => {
    expect(sightErrors(output).map((error) => error.message)).toEqual([message]);
  });

  test('E-1: frames of node and of packages are passed over for the place', () => {
    const output = [
      'TypeError: x is not a function',
      '    at run (node:internal/process:12:3)',
      '    at go (/home/dev/demo/node_modules/lib/index.js:1:2)',
      '    at main (file:///home/dev/demo/src/main.ts:7:9)',
      '    at other (/home/dev/demo/src/other.ts:1:1)',
    ].join('\n');
    expect(places(output)).toEqual([['TypeError: x is not a function', '/home/dev/demo/src/main.ts', 7]]);
  });

  test('E-1: the same error twice in one output is one sighting, with the first place', () => {
    const output = 'src/a.ts:3:1: error: bad thing\nsrc/b.ts:9:1: error: bad thing\n';
    expect(places(output)).toEqual([['bad thing', 'src/a.ts', 3]]);
  });

  test('E-1: what passing tests log before the list of failures is not an error', () => {
    const output = `stderr | src/x.test.ts > ok\nError: logged on purpose\n    at f (src/x.ts:1:1)\n${sample('vitest-failing.txt')}`;
    expect(sightErrors(output).map((error) => error.message)).not.toContain('Error: logged on purpose');
  });

  test('E-1: closing remarks give way to the cause, and stand where there is none', () => {
    expect(sightErrors(sample('cargo-not-compiled.txt'))).toHaveLength(1);
    expect(sightErrors('error: could not compile `b` (lib) due to 1 previous error')).toHaveLength(1);
  });

  test('a failed operation always gives at least one valid sighting', () => {
    for (const output of ['', '\n \n', 'done', '\x1b[31m\x1b[0m', '12ms']) {
      const sightings = sightErrors(output);
      expect(sightings).toHaveLength(1);
      expect(ErrorSighting.parse(sightings[0]).signature).not.toBe('');
    }
  });

  test('stops at the limit', () => {
    const output = Array.from({ length: 100 }, (_, n) => `src/a.ts(${n + 1},1): error TS1: kind ${n}`).join(
      '\n',
    );
    expect(sightErrors(output)).toHaveLength(10);
    expect(sightErrors(output, 3).map((error) => error.line)).toEqual([1, 2, 3]);
  });

  test.each([
    'a',
    ' ',
    `${' '.repeat(1_990)}x\n`,
    '(',
    ':1',
    'Error: ',
    'at ',
    '\x1b[0',
    '\x1b]',
    '/tmp/',
    'a.ts:1:1: error ',
    'E  x\n',
    'error: x\n',
    '  File "a.py", line 1\n',
    'a(1,',
    '0123456789abcdef',
    "thread '",
    '\n',
  ])('reads any amount of %j in linear time', (part) => {
    const read = (size: number) => void sightErrors(part.repeat(Math.ceil(size / part.length)));
    expectLinear(read, 65_536);
  });
});

describe('resultSignature', () => {
  const counts = (failing: string[]) => ({ passed: 1, failed: failing.length, skipped: 0, failing });
  const seen = (message: string, file?: string) => ({ message, signature: normalizeError(message), file });

  test('G-3: signatures in the shape of the examples', () => {
    const nullError = seen("TypeError: Cannot read properties of null (reading 'name')", 'src/auth.ts');
    expect(resultSignature({ ok: false, errors: [nullError] })).toBe('error:TypeError-null-auth.ts');
    expect(resultSignature({ ok: false, tests: counts(['logout', 'auth']), errors: [nullError] })).toBe(
      'test-fail:2-auth,logout',
    );
    expect(resultSignature({ ok: true, errors: [] })).toBe('pass');
  });

  test('G-3: order, lines and durations do not change it', () => {
    const one = { ok: false, tests: counts(['a.test.ts > b > x 12ms', 't.py::test_y']), errors: [] };
    const other = { ok: false, tests: counts(['t.py::test_y', 'a.test.ts > b > x 99ms']), errors: [] };
    expect(resultSignature(one)).toBe(resultSignature(other));
    expect(resultSignature({ ok: false, errors: [seen('RangeError: bad at line 3', 'a.ts')] })).toBe(
      resultSignature({ ok: false, errors: [seen('RangeError: bad at line 77', 'a.ts')] }),
    );
  });

  test('G-3: another failing test, or one error less, is another outcome', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const many = resultSignature({ ok: false, tests: counts(names), errors: [] });
    expect(many).toMatch(/^test-fail:6-a,b,c,d,e,…[0-9a-f]{4}$/);
    expect(resultSignature({ ok: false, tests: counts([...names.slice(0, 5), 'g']), errors: [] })).not.toBe(
      many,
    );
    const errors = [seen('TS1: one', 'a.ts'), seen('TS2: two', 'a.ts'), seen('TS3: three', 'a.ts')];
    const signatures = [1, 2, 3].map((length) =>
      resultSignature({ ok: false, errors: errors.slice(0, length) }),
    );
    expect(new Set(signatures).size).toBe(3);
  });

  test.each([
    [
      "TS2345: Argument of type 'string' is not assignable",
      'src/b.ts',
      'error:TS2345-Argument-type-string-assignable-b.ts',
    ],
    ['error[E0308]: mismatched types', 'b/src/lib.rs', 'error:E0308-mismatched-types-lib.rs'],
    ['fatal: not a git repository', undefined, 'error:fatal-git-repository'],
    [
      'java.lang.IllegalStateException: no session',
      'Main.java',
      'error:java.lang.IllegalStateException-no-session-Main.java',
    ],
  ])('G-3: %s', (message, file, signature) => {
    expect(resultSignature({ ok: false, errors: [seen(message, file)] })).toBe(signature);
  });

  test('G-3: a suite named by its file alone', () => {
    expect(resultSignature({ ok: false, tests: counts(['src/auth.test.ts']), errors: [] })).toBe(
      'test-fail:1-auth',
    );
    expect(resultSignature({ ok: false, errors: [] })).toBe('error:unknown');
  });
});

test('S-13, E-1: a signature shows no part of a credential, and errors that differ only in it are the same', () => {
  const refused = (token: string) => normalizeError(`Error: the token ${token} is refused`);
  expect(refused(`ghp_${'a1B2c3D4e5'.repeat(4)}`)).toBe('Error: the token <credential> is refused');
  expect(refused(`sk-ant-api03-${'12345678-'.repeat(5)}`)).toBe(refused(`npm_${'a1B2c3D4e5'.repeat(4)}`));
});
