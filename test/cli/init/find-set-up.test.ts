import { describe, expect, test } from 'vitest';
import { findSetUp } from '../../../src/cli/init/find-set-up.ts';
import type { SetUpPart } from '../../../src/cli/init/set-up.ts';
import { renderStep } from '../../../src/cli/init/workflow-steps.ts';
import { expectLinear } from '../../expect-linear.ts';
import { repositoryOf } from '../../runner/checks/repository-of.ts';

const EVIL = '$(touch /tmp/evil)';
const commandsOf = (parts: SetUpPart[]) => parts.flatMap((part) => (part.kind === 'command' ? part.run : []));
const setUp = (files: Record<string, string>) => findSetUp(repositoryOf(files));
const manifest = (more: Record<string, unknown>) => JSON.stringify({ scripts: { test: 'x' }, ...more });

describe('nothing that a repository says becomes a command of the workflow', () => {
  test.each([
    [
      'a version of the package manager',
      { 'package.json': manifest({ packageManager: `pnpm@10.0.0;${EVIL}` }) },
    ],
    ['a package manager', { 'package.json': manifest({ packageManager: `${EVIL}@1.0.0` }) }],
    ['a lockfile', { 'package.json': manifest({}), 'pnpm-lock.yaml': `lockfileVersion: '9${EVIL}'\n` }],
    [
      'a workspace',
      {
        'package.json': JSON.stringify({ workspaces: [`a${EVIL}`, `a/${EVIL}`] }),
        [`a${EVIL}/package.json`]: manifest({}),
      },
    ],
    ['a script', { 'package.json': JSON.stringify({ scripts: { [`test ${EVIL}`]: 'x', lint: EVIL } }) }],
    ['a version file', { 'package.json': manifest({}), '.nvmrc': `22 ${EVIL}\n` }],
    ['a file of requirements', { 'app.py': '', [`requirements ${EVIL}.txt`]: 'x' }],
    [
      'an extra',
      { 'pyproject.toml': `[project]\nname = "x"\n[project.optional-dependencies]\n"dev${EVIL}" = []\n` },
    ],
    ['a build file', { 'pom.xml': `<java.version>17${EVIL}</java.version>` }],
    [
      'a directory',
      {
        [`a ${EVIL}/go.mod`]: 'go 1.24\n',
        'b;x/go.mod': 'go 1.24\n',
        '-n/go.mod': 'go 1.24\n',
        'c\u001b[2J\n/go.mod': 'go 1.24\n',
      },
    ],
    ['a target framework', { 'a.csproj': `<TargetFramework>net9.0${EVIL}</TargetFramework>` }],
  ])('%s', (_, files) => {
    const { parts, checks, languages, notes } = setUp(files as unknown as Record<string, string>);
    const written = [...parts.flatMap(renderStep), ...checks, ...languages].join('\n');
    expect(written).not.toMatch(/evil|\$\(|;x|cd -n/);
    expect(notes.join('')).not.toMatch(/\p{Cc}/u);
  });
});

test('a directory that is set up has its own commands, versions, caches and checks', () => {
  const { parts, checks } = setUp({
    'api/Cargo.toml': '[package]',
    'api/Cargo.lock': '',
    'web/package.json': manifest({ dependencies: { a: '1' } }),
    'web/package-lock.json': '{}',
    'web/.nvmrc': 'lts/*\n',
    'node_modules/x/package.json': manifest({}),
    'examples/package.json': manifest({}),
  });
  expect(checks).toEqual(['cd api && cargo test', 'cd web && npm run test']);
  expect(parts).toContainEqual({ kind: 'command', run: 'npm ci', directory: 'web' });
  expect(parts.find(({ kind }) => kind === 'cache')).toMatchObject({ file: 'api/Cargo.lock' });
  expect(parts.find(({ kind }) => kind === 'tool')).toMatchObject({
    version: { file: 'web/.nvmrc' },
    cacheFile: 'web/package-lock.json',
  });
});

test('N-1: no directory is left out without a word', () => {
  const go = 'go 1.24\n';
  const spaced = setUp({ 'My App/go.mod': go, 'My App/go.sum': '' });
  expect(spaced.checks).toEqual(["cd 'My App' && go test ./..."]);
  expect(spaced.languages).toEqual(['Go (version from go.mod) in "My App"']);
  expect(spaced.parts).toContainEqual({ kind: 'command', run: 'go mod download', directory: 'My App' });
  expect(spaced.notes).toEqual([]);

  const odd = setUp({ 'a/go.mod': go, 'Größe/go.mod': go, 'b;x/go.mod': go, 'notes;x/readme.md': '' });
  expect(odd.checks).toEqual(['cd a && go test ./...']);
  expect(odd.notes).toEqual([
    expect.stringMatching(/^Not set up, because of unusual characters in the name: "Größe", "b;x"\. /),
  ]);
  const beside = setUp({ 'package.json': manifest({}), 'My Größe/go.mod': go });
  expect(beside.notes).toEqual([expect.stringMatching(/^Not set up: Go in "My Größe"\. /)]);

  const many = Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [
      [`a${index}.md`, ''],
      [`d${String(index).padStart(3, '0')}/x.md`, ''],
    ]).flat(),
  );
  expect(setUp({ ...many, 'd050/go.mod': go }).checks).toEqual(['cd d050 && go test ./...']);
  expect(setUp({ ...many, 'zz/go.mod': go }).notes).toEqual(['51 of 151 directories were not looked into.']);
});

test('N-1: where neither the top nor its directories have anything, theirs are set up', () => {
  const go = 'go 1.24\n';
  const nested = setUp({
    'README.md': '',
    'docs/page/go.mod': go,
    'apps/web/package.json': manifest({}),
    'apps/Ticket Office/go.mod': go,
    'libs/b;x/go.mod': go,
    'libs/node_modules/x/package.json': manifest({}),
  });
  expect(nested.checks).toEqual(["cd 'apps/Ticket Office' && go test ./...", 'cd apps/web && npm run test']);
  expect(nested.languages.at(-1)).toBe('Node.js (version 24) with npm in apps/web');
  expect(nested.notes).toEqual([expect.stringContaining('in the name: "libs/b;x". ')]);
  const both = setUp({ 'api/go.mod': go, 'apps/web/package.json': manifest({}) });
  expect(both.checks).toEqual(['cd api && go test ./...']);
});

test.each<[string, Record<string, string>, string]>([
  [
    'npm without a lockfile',
    { 'package.json': manifest({ dependencies: { a: '1' } }) },
    'npm install --no-package-lock',
  ],
  [
    'a pnpm of its lockfile',
    { 'package.json': manifest({}), 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" },
    'npm install -g pnpm@8',
  ],
  ['Yarn 1', { 'package.json': manifest({}), 'yarn.lock': '' }, 'yarn install --frozen-lockfile'],
  ['Bun', { 'package.json': manifest({}), 'bun.lock': '' }, 'bun install --frozen-lockfile'],
  ['Poetry', { 'pyproject.toml': '[tool.poetry]', 'poetry.lock': '' }, 'poetry install --no-interaction'],
  ['Pipenv', { Pipfile: '', 'Pipfile.lock': '' }, 'pipenv sync --dev'],
  [
    'a Python package with extras and groups',
    {
      'pyproject.toml':
        '[project]\n\n[project.optional-dependencies]\ndev = ["pytest"]\n\n[dependency-groups]\ntest = []\n',
      'tests/a.py': '',
    },
    'pip install -e .[dev] --group test',
  ],
  ['pytest that nobody lists', { 'setup.py': '', 'pytest.ini': '' }, 'pip install -e . pytest'],
  ['Rust without a toolchain file', { 'Cargo.toml': '' }, 'rustup update stable --no-self-update'],
  ['Gradle without a wrapper', { 'build.gradle': '' }, 'gradle --no-daemon testClasses'],
])('installs: %s', (_, files, command) => {
  expect(commandsOf(setUp(files).parts)).toContain(command);
});

test.each<[string, Record<string, string>, string]>([
  [
    'a version file that names none',
    { 'package.json': '{}', '.nvmrc': 'system\n' },
    '.nvmrc names no version',
  ],
  [
    'two package managers',
    { 'package.json': '{}', 'yarn.lock': '', 'package-lock.json': '{}' },
    'several package managers; yarn is used. Remove package-lock.json',
  ],
  ['no lockfile', { 'package.json': manifest({ dependencies: { a: '1' } }) }, 'There is no lockfile'],
  ['a package.json that is none', { 'package.json': '{' }, 'package.json is not valid JSON'],
])('says: %s', (_, files, words) => {
  expect(setUp(files).notes.join('\n')).toContain(words);
});

test('a version file that cannot be read is told, and the usual version taken', () => {
  const files = repositoryOf({ 'package.json': '{}', '.nvmrc': '20' });
  const unreadable = { ...files, read: (path: string) => (path === '.nvmrc' ? undefined : files.read(path)) };
  const { notes, parts } = findSetUp(unreadable);
  expect(notes).toEqual(['.nvmrc cannot be read, so it does not choose the version of Node.js.']);
  expect(parts[0]).toMatchObject({ version: { value: '24' } });
});

test.each<[string, (size: number) => Record<string, string>]>([
  ['blank lines', (size) => ({ 'package.json': '{}', '.nvmrc': `${'\n'.repeat(size)}x` })],
  ['lines of a lockfile', (size) => ({ 'package.json': '{}', 'pnpm-lock.yaml': 'package\n'.repeat(size) })],
  [
    'blanks before a test',
    (size) => ({ 'app.py': '', 'test_a.py': `${' \n'.repeat(size)}${' '.repeat(size)}` }),
  ],
  [
    'quotes of a pyproject',
    (size) => ({
      'pyproject.toml': `${'python = "'.repeat(size)}\n${'[project'.repeat(size)}`,
      'pytest.ini': '',
    }),
  ],
  ['openings of a pom', (size) => ({ 'pom.xml': '<java.version>'.repeat(size) })],
  ['equals signs of a build file', (size) => ({ 'build.gradle': 'sourceCompatibility = '.repeat(size) })],
  [
    'a long workspace',
    (size) => ({ 'package.json': JSON.stringify({ workspaces: [`${'a/'.repeat(size)}!`] }) }),
  ],
  [
    'a version without end',
    (size) => ({
      'package.json': '{}',
      '.python-version': '3'.repeat(size),
      '.tool-versions': 'nodejs '.repeat(size),
    }),
  ],
])('S-18: reads %s in proportion to their length', (_, files) => {
  expectLinear((size) => void setUp(files(size)), 20_000);
});

test('a directory in a language that the top does not have is named, because nothing sets it up', () => {
  const found = setUp({
    'package.json': manifest({ workspaces: ['web'] }),
    'web/package.json': manifest({}),
    'api/go.mod': 'go 1.24\n',
    'docs/go.mod': 'go 1.24\n',
  });
  expect(found.languages).toEqual(['Node.js (version 24) with npm']);
  expect(found.notes).toContainEqual(expect.stringMatching(/^Not set up: Go in api\. .*`verify`\.$/));
  expect(setUp({ 'package.json': manifest({}), 'web/package.json': manifest({}) }).notes).toEqual([]);
});
