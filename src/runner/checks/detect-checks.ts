/** Access to the repository's files. Paths are relative to its root. */
export type RepositoryFiles = { exists(path: string): boolean; read(path: string): string | undefined };

/** The test script that `npm init` writes. It always fails and checks nothing. */
const PLACEHOLDER = /no test specified/;

const PACKAGE_MANAGERS = [
  { name: 'pnpm', lockfiles: ['pnpm-lock.yaml'] },
  { name: 'yarn', lockfiles: ['yarn.lock'] },
  { name: 'bun', lockfiles: ['bun.lock', 'bun.lockb'] },
  { name: 'npm', lockfiles: ['package-lock.json', 'npm-shrinkwrap.json'] },
] as const;

/** Finds the checks of a repository whose config names none, by the manifest files of common build tools. */
export function detectChecks(files: RepositoryFiles): string[] {
  const checks = [...detectNode(files), ...detectGo(files), ...detectRust(files), ...detectPython(files)];
  // `make test` mostly calls the same tools, so it is used only if nothing else was found.
  return checks.length > 0 ? checks : detectMake(files);
}

function detectNode(files: RepositoryFiles): string[] {
  const manifest = readManifest(files);
  if (!manifest) return [];
  const { scripts } = manifest;
  const manager = detectPackageManager(files, manifest.packageManager);
  return ['test', 'build', 'lint']
    .filter((name) => {
      const script = scripts.get(name);
      return script !== undefined && script.trim() !== '' && !PLACEHOLDER.test(script);
    })
    .map((name) => `${manager} run ${name}`);
}

function readManifest(
  files: RepositoryFiles,
): { scripts: Map<string, string>; packageManager?: string } | undefined {
  const text = files.read('package.json');
  if (text === undefined) return undefined;
  try {
    const manifest: unknown = JSON.parse(text);
    if (!isRecord(manifest)) return undefined;
    const entries = isRecord(manifest.scripts) ? Object.entries(manifest.scripts) : [];
    const scripts = new Map(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
    const { packageManager } = manifest;
    return { scripts, ...(typeof packageManager === 'string' ? { packageManager } : {}) };
  } catch (error) {
    // An invalid package.json has no scripts to run. npm itself will report it when the agent runs npm.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function detectPackageManager(files: RepositoryFiles, declared: string | undefined): string {
  const byField = PACKAGE_MANAGERS.find(({ name }) => declared?.startsWith(`${name}@`));
  const byLockfile = PACKAGE_MANAGERS.find(({ lockfiles }) => lockfiles.some((file) => files.exists(file)));
  return (byField ?? byLockfile)?.name ?? 'npm';
}

function detectGo(files: RepositoryFiles): string[] {
  return files.exists('go.mod') ? ['go test ./...'] : [];
}

function detectRust(files: RepositoryFiles): string[] {
  return files.exists('Cargo.toml') ? ['cargo test'] : [];
}

function detectPython(files: RepositoryFiles): string[] {
  const configured = ['pytest.ini', '.pytest.ini', 'tox.ini', 'conftest.py', 'tests/conftest.py'].some(
    files.exists,
  );
  const mentioned = ['pyproject.toml', 'setup.cfg'].some((file) => files.read(file)?.includes('pytest'));
  const conventional = files.exists('pyproject.toml') && (files.exists('tests') || files.exists('test'));
  return configured || mentioned || conventional ? ['python3 -m pytest'] : [];
}

function detectMake(files: RepositoryFiles): string[] {
  const makefile = files.read('Makefile') ?? files.read('makefile') ?? files.read('GNUmakefile') ?? '';
  return /^test\s*:(?!=)/m.test(makefile) ? ['make test'] : [];
}
