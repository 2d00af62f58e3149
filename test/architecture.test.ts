import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '..', 'src');

const MARKDOWN = ['unified', 'remark-parse', 'remark-gfm', 'mdast-util-to-string', 'mdast', 'unist'];

/** What each folder may import, beside itself. The same table stands in ARCHITECTURE.md. */
const MAY_IMPORT: Record<string, string[]> = {
  core: ['zod'],
  guards: ['core', 'zod'],
  commands: ['core', 'zod', 'yaml', ...MARKDOWN],
  comments: ['core', ...MARKDOWN],
  agents: ['core', 'zod'],
  runner: ['core', 'guards', 'agents', 'zod', 'yaml', 'picomatch', 'node:'],
  store: ['core', 'zod', 'kysely', 'pg', 'node:'],
  link: ['core', 'node:'],
  github: ['core', '@octokit'],
  app: ['core', 'commands', 'comments', 'config.ts', 'probot'],
  web: ['core', 'hono', '@hono', 'pino', 'zod', 'node:'],
  cli: [
    'core',
    'guards',
    'agents',
    'commands',
    'comments',
    'runner',
    'store',
    'link',
    'github',
    'config.ts',
    'zod',
    'yaml',
    'node:',
  ],
  'config.ts': ['core', 'guards', 'zod', 'yaml'],
  'cli.ts': ['cli', 'core', 'node:'],
  'server.ts': ['agents', 'app', 'core', 'github', 'guards', 'store', 'web', 'probot', 'pino', 'node:'],
  action: ['config.ts', 'agents', 'comments', 'core', 'guards', 'link', 'runner', 'zod', 'node:'],
  'action.ts': ['action', 'agents', 'comments', 'core', 'guards', 'link', 'runner', 'node:'],
};

const PURE = ['core', 'guards', 'commands', 'comments', 'agents'];

function sources(): { file: string; text: string }[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(join(source, file), 'utf8') }));
}

function importsOf(text: string): string[] {
  return [
    ...text.matchAll(/^(?:import|export)\s[^'"]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)/gm),
  ].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '');
}

/** The folder or package an import leads to. */
function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:';
  if (!specifier.startsWith('.')) return specifier.split('/')[0] ?? specifier;
  return join(file, '..', specifier).split('/')[0] ?? '';
}

test('each folder imports only what the table allows', () => {
  const wrong = sources().flatMap(({ file, text }) => {
    const folder = file.split('/')[0] ?? file;
    // The sandbox plays GitHub and its runners: it may use everything.
    if (folder === 'sandbox') return [];
    const allowed = MAY_IMPORT[folder];
    if (!allowed) return [`${file}: the table has no row for ${folder}`];
    return importsOf(text)
      .map((specifier) => targetOf(file, specifier))
      .filter((target) => target !== folder && !allowed.includes(target))
      .map((target) => `${file} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test('the pure folders have no clock, no randomness and no process', () => {
  const impure = /Date\.now|new Date\(\)|Math\.random|\bprocess\.|performance\.|setTimeout|crypto/;
  const wrong = sources()
    .filter(({ file }) => PURE.includes(file.split('/')[0] ?? ''))
    .filter(({ text }) => impure.test(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')))
    .map(({ file }) => file);
  expect(wrong).toEqual([]);
});

test('only entrypoints read the environment', () => {
  const readers = sources()
    .filter(({ text }) => text.includes('process.env'))
    .map(({ file }) => file)
    .filter((file) => file.includes('/') && !file.startsWith('sandbox/'));
  expect(readers).toEqual([]);
});
