// Makes build/, the program of the npm package, with everything it needs inside: the package has no dependencies. A clone runs its source.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { BESIDE, lazySchemas, packagesOf, renderLicenses } from './bundle.mjs';
import { readArguments } from './read-arguments.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PACKAGE_FILE = join(root, 'src/cli/package/package-file.ts');

/** `action` is the `OWNER/REPO@COMMIT` that a release made for the workflows of its users. */
export async function bundlePackage({ directory = join(root, 'build'), action } = {}) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const bundle = await rolldown({
    cwd: root,
    input: { cli: 'src/cli.ts' },
    platform: 'node',
    treeshake: true,
    plugins: [lazySchemas, embedFiles(action), leaveOutInstaller],
    logLevel: 'warn',
    onLog(level, log) {
      // `bottleneck` loads Redis, which nobody here uses, by `eval`.
      if (log.code === 'EVAL' && log.id?.includes('/node_modules/bottleneck/')) return;
      // An unresolved name would fail only at the user's.
      if (level === 'warn') throw new Error(`The bundle has a problem: ${log.message}`);
    },
  });
  try {
    const { output } = await bundle.write({
      dir: directory,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      format: 'esm',
      minify: true,
      comments: { legal: false },
    });
    const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    for (const file of BESIDE) copyFileSync(join(root, file), join(directory, basename(file)));
    writeFileSync(join(directory, 'licenses.txt'), renderLicenses(modules));
    return { directory, files: readdirSync(directory), packages: packagesOf(modules) };
  } finally {
    await bundle.close();
  }
}

/** The texts that `packageFile` returns. */
function embedFiles(action) {
  return {
    name: 'files of the package are inside',
    load(id) {
      if (id !== PACKAGE_FILE) return null;
      const { name, version, repository } = JSON.parse(read('package.json'));
      const files = Object.fromEntries(
        readdirSync(join(root, 'templates'))
          .map((file) => `templates/${file}`)
          .map((file) => [file, read(file)]),
      );
      files['package.json'] = JSON.stringify({ name, version, repository, action });
      return `const files = ${JSON.stringify(files)};\nexport const packageFile = (name) => files[name];\n`;
    },
  };
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

/** Probot would install packages at run time for features that are not used here. */
const leaveOutInstaller = {
  name: 'nothing is installed at run time',
  resolveId: (id) => (id === 'npx-import-light' ? '\0no-installer' : null),
  load: (id) =>
    id === '\0no-installer'
      ? "export const npxImport = () => Promise.reject(new Error('This is not part of the package.'));\n"
      : null,
};

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  readArguments('Usage: node scripts/bundle-package.mjs\n\nMakes build/, the program of the npm package.\n');
  const { directory, files, packages } = await bundlePackage();
  process.stderr.write(`${directory}: ${files.length} files, with ${packages.length} packages inside\n`);
}
