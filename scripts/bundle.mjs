// Makes dist/action.js and dist/action-pre.js, the steps of the action, dist/desk.js, which the first one loads where there is no server,
// and the licences of what is in them. dist/ is not committed on main: scripts/release.mjs makes the commit that users refer to.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { readArguments } from './read-arguments.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const LAZY_ZOD = join(root, 'scripts/lazy-zod.ts');

export const lazySchemas = {
  name: 'schemas are made when they are used',
  resolveId: (id, importer) => (id === 'zod' && !importer?.includes('/node_modules/') ? LAZY_ZOD : null),
};

/** A fifth of zod makes JSON schemas, which no job does. */
const JSON_SCHEMA = /\/zod\/v4\/core\/(?:json-schema-(?:generator|processors)|to-json-schema)\.js$/;

const quickStart = {
  name: 'less for Node to read and to load',
  // The same code as ES modules, of which only the used part is taken.
  resolveId: (id) => (id === 'yaml' ? join(root, 'node_modules/yaml/browser/dist/index.js') : null),
  load: (id) => (JSON_SCHEMA.test(id) ? leaveOut(id) : null),
  generateBundle(_options, output) {
    for (const chunk of Object.values(output))
      if (chunk.type === 'chunk') chunk.code = loadBuiltinsAlone(escapeNonAscii(chunk.code));
  },
};

/** Programs of the box, which are started as they are. */
export const BESIDE = ['src/runner/box/enter-box.sh', 'src/runner/box/box-helper.mjs'];

/** A bundle of its own, so that a job of the App starts without what only the desk needs. */
const deskApart = {
  name: 'the desk is loaded when it is needed',
  resolveId: (id) => (id === './desk.ts' ? { id: './desk.js', external: true } : null),
};

/** `action` may be another file, for the figure that measures how long the action takes to start. */
export async function bundleAction(directory = join(root, 'dist'), action = 'src/action.ts') {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const modules = [
    ...(await bundle(directory, { action, 'action-pre': 'src/action-pre.ts' }, '[name].js', [deskApart])),
    ...(await bundle(directory, { desk: 'src/desk.ts' }, 'desk-[name].js', [])),
  ];
  for (const file of BESIDE) copyFileSync(join(root, file), join(directory, basename(file)));
  // Otherwise Node reads each file as CommonJS first.
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(directory, 'licenses.txt'), renderLicenses(modules));
  return { file: join(directory, 'action.js'), packages: packagesOf(modules) };
}

/** Bundles these files, and returns the modules that are in them. */
async function bundle(directory, input, chunkFileNames, plugins) {
  const made = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    treeshake: true,
    plugins: [lazySchemas, quickStart, ...plugins],
    logLevel: 'warn',
    onLog(level, log) {
      // An unresolved name would fail only in the job.
      if (level === 'warn') throw new Error(`The bundle has a problem: ${log.message}`);
    },
  });
  try {
    const { output } = await made.write({
      dir: directory,
      entryFileNames: '[name].js',
      chunkFileNames,
      format: 'esm',
      minify: true,
      comments: { legal: false },
    });
    // A step waits for what it loads later, so that must not wait for the step.
    const waiting = output.find((chunk) => chunk.imports?.some((name) => basename(name, '.js') in input));
    if (waiting) throw new Error(`${waiting.fileName} imports the step that would wait for it.`);
    return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  } finally {
    await made.close();
  }
}

/** Node holds a file of ASCII alone in half the memory, and reads it faster. */
function escapeNonAscii(code) {
  if (/String\.raw/.test(code)) throw new Error('An escape would change what String.raw makes.');
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Has only functions, which are called long after the start, and takes Node 2 ms to load. */
const WHEN_CALLED = new Set(['node:zlib']);

/** `import` of a module of Node's makes all its exports, also those that are slow to make and not used here. */
function loadBuiltinsAlone(code) {
  return code.replace(/^(?:import[^;]*;\s*)+/, (imports) =>
    imports.replace(/import\s*\{([^}]*)\}\s*from\s*["'](node:[^"']+)["'];/g, (_line, names, id) => {
      const load = `process.getBuiltinModule("${id}")`;
      if (!WHEN_CALLED.has(id)) return `const{${names.replaceAll(' as ', ':')}}=${load};`;
      return names
        .split(',')
        .map((each) => each.trim().split(' as '))
        .map(([name, own = name]) => `const ${own}=(...args)=>${load}.${name}(...args);`)
        .join('');
    }),
  );
}

/** A module with the same exports, which say that they were left out. */
function leaveOut(file) {
  const exports = [...readFileSync(file, 'utf8').matchAll(/^export (?:class|const|function) (\w+)/gm)];
  const names = exports.map(([, name]) => `leftOut as ${name}`);
  const message = JSON.stringify(`${basename(file)} is not in this bundle.`);
  return `const leftOut = () => { throw new Error(${message}); };\nexport { ${names.join(', ')} };\n`;
}

export function packagesOf(modules) {
  const found = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  return [...new Set(found)].sort();
}

export function renderLicenses(modules) {
  const licences = packagesOf(modules).map((directory) => {
    const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const text = findLicense(directory);
    if (!text) throw new Error(`${name} comes without a licence, so it cannot be part of the bundle.`);
    return `${name} ${version} (${license})\n\n${text}`;
  });
  const own = existsSync(join(root, 'LICENSE')) ? readFileSync(join(root, 'LICENSE'), 'utf8').trim() : '';
  return `${[`Autobuild\n\n${own}`, ...licences].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** A few packages have their licence at the end of their README only. */
function findLicense(directory) {
  const files = readdirSync(directory);
  const read = (pattern) => {
    const file = files.find((entry) => pattern.test(entry));
    return file === undefined ? '' : readFileSync(join(directory, file), 'utf8').trim();
  };
  return read(/^licen[cs]e/i) || /^#+ licen[cs]e\n+([\s\S]+)/im.exec(read(/^readme/i))?.[1];
}

const USAGE = `Usage: node scripts/bundle.mjs [FOLDER [FILE]]

Makes the action's bundle in dist/, or in FOLDER, which is emptied first; of FILE instead of src/action.ts.
  --help   this text
`;

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder, action] = readArguments(USAGE, {}, 2).positionals;
  const { file, packages } = await bundleAction(folder && resolve(folder), action);
  const bytes = readFileSync(file).length;
  process.stdout.write(`${file}: ${Math.round(bytes / 1024)} KiB, with ${packages.length} packages\n`);
}
