import { expect, test } from 'vitest';
import { checkFiles } from '../../../src/core/work/check-files.ts';

const plain = { commands: ['npm test'], scripts: {}, patterns: [] };

test.each([
  'test/a.ts',
  'packages/shop/tests/data/cards.json',
  'src/login.test.tsx',
  'src/login.spec.js',
  'login_test.go',
  'app/test_login.py',
  'spec/login_spec.rb',
  'src/main/java/LoginTest.java',
  'src/__snapshots__/a.snap',
  'package.json',
  'packages/shop/package.json',
  'package-lock.json',
  'Cargo.lock',
  'Makefile',
  'tsconfig.build.json',
  'vitest.config.ts',
  '.eslintrc.json',
  '.npmrc',
  'pytest.ini',
  'conftest.py',
  'requirements-dev.txt',
  '.github/workflows/ci.yml',
  '.gitlab-ci.yml',
  // Programs that a package manager runs instead of its own, or before the tests.
  '.yarn/releases/yarn-4.9.1.cjs',
  '.pnp.cjs',
  '.pnpmfile.cjs',
  'patches/vitest.patch',
  'gulpfile.js',
  'lib/BUILD.bazel',
  'flake.nix',
  'Package.swift',
  'rust-toolchain.toml',
])('S-22: the checks depend on %s', (path) => {
  expect(checkFiles([path], plain)).toEqual([path]);
});

test.each([
  'src/latest.ts',
  'src/contest.py',
  'README.md',
  'src/specials.ts',
  'docs/config.md',
  'src/Attest.java',
])('S-22: the checks do not depend on %s', (path) => {
  expect(checkFiles([path], plain)).toEqual([]);
});

test('S-22: files that the commands run count, also by way of scripts', () => {
  const scripts = { test: 'npm run -s unit', unit: 'node scripts/unit.mjs', start: 'node src/server.js' };
  const given = { commands: ['npm test', './lint.sh src'], scripts, patterns: [] };
  const paths = ['lint.sh', 'scripts/unit.mjs', 'src/server.js', 'src/a.js'];
  expect(checkFiles(paths, given)).toEqual(['lint.sh', 'scripts/unit.mjs']);
});

test('S-22: the config adds files and leaves some out, and its last match decides', () => {
  const patterns = ['checks/**', '!fixtures/**', 'fixtures/golden/**'];
  const paths = ['checks/a.sh', 'fixtures/a.json', 'fixtures/golden/a.json', 'src/a.ts'];
  expect(checkFiles(paths, { ...plain, patterns })).toEqual(['checks/a.sh', 'fixtures/golden/a.json']);
});
