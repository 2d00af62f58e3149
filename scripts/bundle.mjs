// Makes dist/action.js, the action as one file, and the licences of what is in it. dist/ is not committed on main:
// scripts/release.mjs makes the commit that users refer to.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/** `input` may be another file, for the figure that measures how long the action takes to start. */
export async function bundleAction(directory = join(root, 'dist'), input = 'src/action.ts') {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    treeshake: true,
    logLevel: 'warn',
    onLog(level, log) {
      // An unresolved name would fail only in the job.
      if (level === 'warn') throw new Error(`The bundle has a problem: ${log.message}`);
    },
  });
  try {
    const { output } = await bundle.write({
      file: join(directory, 'action.js'),
      format: 'esm',
      minify: true,
      comments: { legal: false },
      codeSplitting: false,
    });
    const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    writeFileSync(join(directory, 'licenses.txt'), renderLicenses(modules));
    return { file: join(directory, 'action.js'), packages: packagesOf(modules) };
  } finally {
    await bundle.close();
  }
}

function packagesOf(modules) {
  const found = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  return [...new Set(found)].sort();
}

function renderLicenses(modules) {
  const licences = packagesOf(modules).map((directory) => {
    const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} comes without a licence file, so it cannot be part of the bundle.`);
    const text = readFileSync(join(directory, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}`;
  });
  const own = existsSync(join(root, 'LICENSE')) ? readFileSync(join(root, 'LICENSE'), 'utf8').trim() : '';
  return `${[`Autobuild\n\n${own}`, ...licences].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { file, packages } = await bundleAction(process.argv[2] && resolve(process.argv[2]), process.argv[3]);
  const bytes = readFileSync(file).length;
  process.stdout.write(`${file}: ${Math.round(bytes / 1024)} KiB, with ${packages.length} packages\n`);
}
