import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TestCounts } from '../../../../src/core/contracts/verification.ts';
import { readTestCounts } from '../../../../src/runner/checks/test-counts/read-test-counts.ts';
import { expectLinear } from '../../../expect-linear.ts';

const sample = (name: string) =>
  readFileSync(new URL(`../../../fixtures/test-output/${name}`, import.meta.url), 'utf8');
const vitestFailing = [
  'src/auth.test.ts > auth > login of nobody',
  'src/auth.test.ts > auth > logout > adds',
];
const pytestFailing = [
  'test_auth.py::test_wrong',
  'test_auth.py::test_nobody',
  'test_auth.py::TestLogout::test_logout',
];

describe('readTestCounts', () => {
  test.each([
    ['vitest-failing.txt', 2, 2, 2, vitestFailing],
    ['vitest-coloured.txt', 2, 2, 2, vitestFailing],
    ['vitest-passing.txt', 1, 0, 0, []],
    ['vitest-suite-not-loaded.txt', 1, 1, 0, ['src/auth.test.ts']],
    ['jest-failing.txt', 3, 3, 2, ['auth › login of nobody', 'auth › adds', 'test/broken.test.js']],
    ['mocha-failing.txt', 1, 2, 1, ['auth > login of nobody', 'auth > logout > ends the session']],
    ['pytest-failing.txt', 1, 3, 2, pytestFailing],
    ['pytest-quiet.txt', 1, 3, 2, pytestFailing],
    ['pytest-passing.txt', 1, 0, 0, []],
    ['pytest-not-collected.txt', 0, 1, 0, ['test_dep.py']],
    ['cargo-failing.txt', 3, 1, 1, ['tests::adds_wrongly']],
    ['go-failing.txt', 1, 3, 0, ['TestLogin/nobody', 'TestLogin/empty', 'example.com/demo/web']],
    ['go-verbose.txt', 3, 1, 1, ['TestB/two']],
    ['node-test-spec.txt', 1, 2, 2, ['adds wrongly', 'boom']],
    ['node-test-tap.txt', 1, 2, 2, ['adds wrongly', 'boom']],
    ['tap-vitest.txt', 2, 2, 2, ['login of nobody', 'logout > adds']],
    ['junit-vitest.xml', 2, 2, 2, vitestFailing],
    ['junit-node.xml', 1, 2, 2, ['auth > adds wrongly', 'test > boom']],
    [
      'junit-pytest.xml',
      1,
      3,
      2,
      ['test_auth > test_wrong', 'test_auth > test_nobody', 'test_auth.TestLogout > test_logout'],
    ],
  ])('E-4: %s: %i passed, %i failed, %i skipped', (name, passed, failed, skipped, failing) => {
    const counts = readTestCounts(sample(name));
    expect(counts).toEqual({ passed, failed, skipped, failing });
    expect(TestCounts.parse(counts)).toEqual(counts);
  });

  test.each([
    ['vitest-failing.txt', 'vitest-passing.txt', 3, 2],
    ['pytest-failing.txt', 'pytest-passing.txt', 2, 3],
    ['node-test-spec.txt', 'node-test-spec.txt', 2, 4],
    ['mocha-failing.txt', 'mocha-failing.txt', 2, 4],
    ['jest-failing.txt', 'jest-failing.txt', 6, 6],
    ['cargo-failing.txt', 'cargo-failing.txt', 6, 2],
  ])('E-4: the summaries of several workspaces are added: %s and %s', (one, other, passed, failed) => {
    expect(readTestCounts(`${sample(one)}\n${sample(other)}`)).toMatchObject({ passed, failed });
  });

  test('E-4: a runner in a monorepo puts the package before each line', () => {
    const prefixed = 'web:test:       Tests  1 failed | 2 passed (3)\napi:test:       Tests  4 passed (4)\n';
    expect(readTestCounts(prefixed)).toMatchObject({ passed: 6, failed: 1 });
  });

  test('E-4: plain TAP with subtests, skips and todos counts the leaves', () => {
    const output = [
      'TAP version 13',
      '# Subtest: outer',
      '    ok 1 - inner one',
      '    not ok 2 - inner two',
      '    1..2',
      'not ok 1 - outer',
      'ok 2 - later # SKIP not now',
      'not ok 3 - some day # TODO',
      'ok 4',
      '1..4',
    ].join('\r\n');
    expect(readTestCounts(output)).toEqual({ passed: 2, failed: 1, skipped: 2, failing: ['inner two'] });
  });

  test.each([
    '',
    'hello',
    'ok 1 - no plan anywhere',
    'Tests  are important (3)',
    '3 passed the exam in 2019',
    'FAIL',
  ])('finds none in %j', (output) => {
    expect(readTestCounts(output)).toBeUndefined();
  });

  test.each([
    'tsc.txt',
    'biome.txt',
    'cargo-not-compiled.txt',
    'cargo-missing-crate.txt',
    'python-traceback.txt',
    'go-panic.txt',
  ])('finds none in %s', (name) => {
    expect(readTestCounts(sample(name))).toBeUndefined();
  });

  test('names at most 50 failing tests and counts all', () => {
    const names = Array.from({ length: 80 }, (_, n) => `test t${n} ... FAILED`).join('\n');
    const counts = readTestCounts(
      `${names}\ntest result: FAILED. 0 passed; 80 failed; 0 ignored; 0 measured; 0 filtered out`,
    );
    expect(counts?.failed).toBe(80);
    expect(counts?.failing).toHaveLength(50);
  });

  test.each([
    'Tests  1 ',
    'FAIL  a [ ',
    'ok 1 - ',
    '<testsuite a="',
    '<',
    '<a "',
    '<!--',
    '--- FAIL: a (',
    '  1) a',
    '1 passed, ',
  ])('reads any amount of %j in linear time', (part) => {
    const read = (size: number) =>
      void readTestCounts(`<testsuite>${part.repeat(Math.ceil(size / part.length))}`);
    expectLinear(read, 65_536);
  });
});
