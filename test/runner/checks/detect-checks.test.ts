import { describe, expect, test } from 'vitest';
import { detectChecks } from '../../../src/runner/checks/detect-checks.ts';

const repository = (files: Record<string, string>) => ({
  exists: (path: string) => path in files || Object.keys(files).some((file) => file.startsWith(`${path}/`)),
  read: (path: string) => files[path],
});
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
    [{ Makefile: 'all:\n\ttrue\ntest: all\n\t./run\n' }, 'make test'],
  ])('%j: %s', (files, command) => {
    expect(detectChecks(repository(files as unknown as Record<string, string>))).toEqual([command]);
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
