import { describe, expect, test } from 'vitest';
import { detectChecks } from '../../../src/runner/checks/detect-checks.ts';
import { repositoryOf as repository } from './repository-of.ts';

const manifest = (scripts: Record<string, unknown>, more = {}) => JSON.stringify({ scripts, ...more });
const all = { test: 'vitest run', build: 'tsc', lint: 'eslint .', start: 'node .' };

describe('detectChecks', () => {
  test.each([
    ['npm', {}],
    ['npm', { 'package-lock.json': '{}' }],
    ['pnpm', { 'pnpm-lock.yaml': '' }],
    ['yarn', { 'yarn.lock': '' }],
    ['bun', { 'bun.lock': '' }],
    ['bun', { 'bun.lockb': '' }],
  ])('package.json scripts through %s (%j)', (manager, lockfiles) => {
    expect(detectChecks(repository({ 'package.json': manifest(all), ...lockfiles }))).toEqual([
      `${manager} run test`,
      `${manager} run build`,
      `${manager} run lint`,
    ]);
  });

  test('the packageManager field outranks a lockfile left behind', () => {
    const files = {
      'package.json': manifest({ test: 'x' }, { packageManager: 'pnpm@10.0.0' }),
      'yarn.lock': '',
    };
    expect(detectChecks(repository(files))).toEqual(['pnpm run test']);
  });

  test("npm's placeholder, empty and malformed scripts are no checks", () => {
    const placeholder = 'echo "Error: no test specified" && exit 1';
    expect(
      detectChecks(repository({ 'package.json': manifest({ test: placeholder, build: '  ', lint: 3 }) })),
    ).toEqual([]);
    for (const text of ['{', '[]', 'null', '{"scripts":[]}', '{"scripts":null}'])
      expect(detectChecks(repository({ 'package.json': text }))).toEqual([]);
  });

  test.each([
    [{ 'go.mod': 'module x' }, 'go test ./...'],
    [{ 'Cargo.toml': '[package]' }, 'cargo test'],
    [{ 'pytest.ini': '' }, 'python3 -m pytest'],
    [{ 'tox.ini': '' }, 'python3 -m pytest'],
    [{ 'pyproject.toml': '[tool.pytest.ini_options]' }, 'python3 -m pytest'],
    [{ 'pyproject.toml': '[project]', 'tests/test_a.py': '' }, 'python3 -m pytest'],
    [{ 'setup.cfg': '[tool:pytest]' }, 'python3 -m pytest'],
    [{ 'requirements-dev.txt': 'pytest==8\n', 'shop.py': '' }, 'python3 -m pytest'],
    [{ 'uv.lock': '', 'pyproject.toml': 'pytest' }, 'uv run python -m pytest'],
    [{ 'poetry.lock': '', 'pyproject.toml': 'pytest' }, 'poetry run python -m pytest'],
    [{ 'Pipfile.lock': '', Pipfile: 'pytest = "*"' }, 'pipenv run python -m pytest'],
    [{ 'shop.py': '', 'test_shop.py': 'import unittest\n' }, 'python3 -m unittest discover'],
    [
      { 'pyproject.toml': '[project]', 'tests/test_a.py': '# A\nfrom unittest import TestCase\n' },
      'python3 -m unittest discover -s tests',
    ],
    [{ 'pom.xml': '' }, 'mvn -B -ntp test'],
    [{ 'pom.xml': '', mvnw: '' }, './mvnw -B -ntp test'],
    [{ 'build.gradle.kts': '', gradlew: '' }, './gradlew --no-daemon test'],
    [{ Gemfile: '', '.rspec': '' }, 'bundle exec rspec'],
    [{ Gemfile: '', Rakefile: '', 'test/a.rb': '' }, 'bundle exec rake test'],
    [{ 'composer.json': '{"scripts":{"test":"phpunit"}}' }, 'composer test'],
    [{ 'composer.json': '{}', 'phpunit.xml.dist': '' }, 'vendor/bin/phpunit'],
    [{ 'Shop.sln': '' }, 'dotnet test'],
    [{ Makefile: 'all:\n\ttrue\ntest: all\n\t./run\n' }, 'make test'],
  ])('%j: %s', (files, command) => {
    expect(detectChecks(repository(files as unknown as Record<string, string>))).toEqual([command]);
  });

  test('types are checked where a script does it', () => {
    const scripts = { test: 'x', typecheck: 'tsc --noEmit' };
    expect(detectChecks(repository({ 'package.json': manifest(scripts) }))).toEqual([
      'npm run test',
      'npm run typecheck',
    ]);
  });

  const inPackages = (root: Record<string, unknown>, more: Record<string, string>) =>
    detectChecks(
      repository({
        'package.json': JSON.stringify(root),
        'packages/a/package.json': manifest({ test: 'x' }),
        'packages/b/package.json': manifest({ lint: 'y' }),
        ...more,
      }),
    );

  test.each([
    ['npm', 'npm run test --workspaces --if-present', { workspaces: ['packages/*'] }, {}],
    [
      'pnpm',
      'pnpm --recursive --if-present run test',
      {},
      { 'pnpm-workspace.yaml': 'packages: ["packages/*"]\n', 'pnpm-lock.yaml': '' },
    ],
    ['yarn', 'yarn workspaces run test', { workspaces: { packages: ['./packages/a'] } }, { 'yarn.lock': '' }],
    [
      'yarn 4',
      'yarn workspaces foreach --all run test',
      { workspaces: ['packages/a'], packageManager: 'yarn@4.9.2' },
      {},
    ],
    ['bun', "bun run --filter '*' test", { workspaces: ['packages/a/'] }, { 'bun.lock': '' }],
  ])('the packages of a workspace of %s', (_, command, root, more) => {
    expect(inPackages(root, more as Record<string, string>)[0]).toBe(command);
  });

  test('a test script at the top speaks for its packages; patterns that lead out are left alone', () => {
    expect(inPackages({ scripts: { test: 'x' }, workspaces: ['packages/*'] }, {})).toEqual(['npm run test']);
    expect(
      inPackages({ workspaces: ['../*', '/etc', '.', '**', 3, { a: 1 }, 'packages/../..'] }, {}),
    ).toEqual([]);
    expect(inPackages({}, { 'pnpm-workspace.yaml': 'packages: [' })).toEqual([]);
  });

  test('several languages at once; make only where nothing else is known', () => {
    const files = { 'package.json': manifest({ test: 'x' }), 'go.mod': '', Makefile: 'test:\n' };
    expect(detectChecks(repository(files))).toEqual(['npm run test', 'go test ./...']);
  });

  test('nothing known: none', () => {
    expect(detectChecks(repository({}))).toEqual([]);
    expect(
      detectChecks(repository({ 'pyproject.toml': '[project]', Makefile: 'test := 1\nlatest:\n' })),
    ).toEqual([]);
  });
});
