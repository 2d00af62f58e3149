import { filesRunBy } from './command-files.ts';
import { matchesPattern } from './path-pattern.ts';

/** Directories with tests and their data, at any depth. */
const TEST_FOLDERS: ReadonlySet<string> = new Set([
  'test',
  'tests',
  'spec',
  'specs',
  'e2e',
  'cypress',
  'fixtures',
  'testdata',
  '__tests__',
  '__mocks__',
  '__fixtures__',
  '__snapshots__',
]);
/** `a.test.ts`, `test_a.py`, `a_test.go`, `a_spec.rb`, but not `latest.ts`. */
const TEST_NAME = /(?:^|[._-])(?:tests?|specs?)(?:[._-]|$)/i;
/** `LoginTest.java`, `LoginTests.cs`, `LoginSpec.scala`. */
const TEST_CLASS = /[a-z\d](?:Tests?|TestCase|Spec)\.[a-z]{1,6}$/;

/** Manifests, lockfiles, and settings of build tools, test runners, linters and version managers, at any depth. In small letters. */
const TOOL_FILES: ReadonlySet<string> = new Set(
  [
    'package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock bun.lock bun.lockb',
    'deno.json deno.jsonc deno.lock lerna.json nx.json turbo.json bunfig.toml',
    'pyproject.toml setup.py setup.cfg tox.ini noxfile.py conftest.py pipfile pipfile.lock poetry.lock pdm.lock uv.lock',
    'go.mod go.sum go.work go.work.sum cargo.toml cargo.lock build.rs gemfile gemfile.lock rakefile mix.exs mix.lock',
    'composer.json composer.lock pom.xml mvnw gradlew gradle.properties build.sbt global.json nuget.config',
    'makefile gnumakefile justfile cmakelists.txt taskfile.yml taskfile.yaml dockerfile',
    'jenkinsfile .gitlab-ci.yml .travis.yml azure-pipelines.yml appveyor.yml bitbucket-pipelines.yml .pre-commit-config.yaml',
    '.pnp.cjs .pnp.loader.mjs .pnpmfile.cjs gruntfile.js gulpfile.js module.bazel build.bazel workspace.bazel build workspace',
    'package.swift package.resolved pubspec.yaml pubspec.lock project.clj deps.edn stack.yaml rebar.config meson.build dune-project',
    'flake.nix flake.lock shell.nix default.nix mise.toml .mise.toml rust-toolchain rust-toolchain.toml pixi.toml pixi.lock',
    '.flake8 .rspec .editorconfig .node-version .python-version .ruby-version .tool-versions .env.test',
  ].flatMap((line) => line.split(' ')),
);
const TOOL_NAMES: readonly RegExp[] = [
  /\.(?:config|conf)\.(?:[cm]?[jt]s|json|ya?ml)$/,
  /^\.[\w-]+rc(?:\.\w+)?$/,
  /^(?:ts|js)config[\w.-]*\.json$/,
  /^requirements[\w.-]*\.(?:txt|in)$/,
  /^(?:build|settings)\.gradle(?:\.kts)?$/,
  /^\.?(?:pytest|mypy|ruff|pylint|golangci|rubocop|rustfmt|clippy|phpunit|phpstan|psalm|biome|vitest)[\w.-]*\.\w+$/,
  /\.(?:mk|csproj|fsproj|vbproj|sln|props|targets)$/,
];
/** Directories at the top of a worktree. */
const TOOL_FOLDERS: readonly string[] = [
  '.github/workflows',
  '.github/actions',
  '.circleci',
  '.buildkite',
  '.cargo',
  '.ci',
  '.husky',
  '.mvn',
  '.yarn',
  'gradle',
  'patches',
];

interface CheckedBy {
  commands: readonly string[];
  /** The scripts of the manifest that the commands may name, as the base has them. */
  scripts: Readonly<Record<string, string>>;
  /** Patterns of the config: more files, and with `!` before them files that are none. The last match decides. */
  patterns: readonly string[];
}

/**
 * The paths that decide what the checks check: tests, scripts, lockfiles, settings of tools and CI. Work that changes them can
 * make its own checks pass, so its result is shown beside the one with the base's versions.
 */
export function checkFiles(paths: readonly string[], { commands, scripts, patterns }: CheckedBy): string[] {
  const run = filesRunBy(commands, scripts);
  return paths.filter((path) => {
    const named = patterns.findLast((pattern) => matchesPattern(pattern.replace(/^!/, ''), path));
    if (named !== undefined) return !named.startsWith('!');
    return run.has(path) || run.has(path.replace(/\.\w+$/, '')) || isTest(path) || isToolFile(path);
  });
}

function isTest(path: string): boolean {
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  return (
    folders.some((folder) => TEST_FOLDERS.has(folder.toLowerCase())) ||
    TEST_NAME.test(name) ||
    TEST_CLASS.test(name)
  );
}

function isToolFile(path: string): boolean {
  const folded = path.toLowerCase();
  const name = folded.slice(folded.lastIndexOf('/') + 1);
  return (
    TOOL_FILES.has(name) ||
    TOOL_NAMES.some((pattern) => pattern.test(name)) ||
    TOOL_FOLDERS.some((folder) => folded.startsWith(`${folder}/`))
  );
}
