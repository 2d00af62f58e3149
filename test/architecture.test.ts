import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

interface Source {
  /** From the repository's top: `src/core/task.ts`. */
  file: string;
  text: string;
}

function readAll(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|mjs)$/.test(file))
    .map((file) => ({
      file: join(folder, file),
      text: readFileSync(join(root, folder, file), 'utf8'),
    }));
}

const sources = readAll('src');
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** The rows of the table below a heading, as cells without their backticks. */
function tableBelow(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  const rows = section?.split('\n').filter((line) => line.startsWith('|')) ?? [];
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

const namesIn = (cell = '') => cell.split(',').flatMap((name) => name.trim() || []);

/** A name that the page gives to several packages: `**markdown** is unified, remark-parse`. */
function expandAlias(name: string): string[] {
  const packages = new RegExp(`\\*\\*${name}\\*\\* is (.+?)\\.`).exec(page)?.[1];
  return packages === undefined ? [name] : namesIn(packages.replaceAll('`', ''));
}

interface Import {
  names: string[] | 'all';
  /** A file from the repository's top, or a package. */
  target: string;
}

function importsOf({ file, text }: Source): Import[] {
  const patterns = [
    /^(?:import|export)\s+(?:type\s+)?(?:\*[^'{]*|\w+|\{(?<list>[^}]*)\})\s*from '(?<from>[^']+)'/,
    /^import '(?<from>[^']+)'/,
    /\{(?<list>[^{}]*)\} = await import\('(?<from>[^']+)'\)/,
    /\(await import\('(?<from>[^']+)'\)\)\.(?<list>\w+)/,
    /import\('(?<from>[^']+)'\)/,
  ];
  const pattern = new RegExp(patterns.map(({ source }) => source).join('|'), 'gm');
  return [...text.matchAll(pattern)].map(({ groups: { list, from = '' } = {} }) => ({
    names: list === undefined ? 'all' : list.split(',').flatMap((name) => nameOf(name) ?? []),
    target: from.startsWith('.') ? join(dirname(file), from) : from,
  }));
}

function nameOf(item: string): string | undefined {
  return /^\s*(?:type\s+)?(\w+)/.exec(item)?.[1];
}

/** The row of the folder table that a file or package falls under. */
function folderOf(target: string): string {
  if (target.startsWith('node:')) return 'node:*';
  if (!target.startsWith('src/')) return target.split('/')[0] ?? target;
  return target.split('/')[1] ?? '';
}

describe('the table of folders', () => {
  const granted = new Map(
    tableBelow('Folders').map(([folder = '', , imports]) => [folder.replace(/\/$/, ''), namesIn(imports)]),
  );
  const allowed = new Map(
    [...granted].map(([folder, imports]) => [folder, imports.flatMap(expandAlias)] as const),
  );

  test('has a row for every folder and entrypoint, and none for what is gone', () => {
    const present = new Set(sources.map(({ file }) => folderOf(file)));
    expect([...allowed.keys()].toSorted()).toEqual([...present].toSorted());
  });

  test('says what each folder imports', () => {
    const wrong = sources.flatMap((source) => {
      const folder = folderOf(source.file);
      const row = allowed.get(folder) ?? [];
      if (row.includes('anything')) return [];
      return importsOf(source)
        .map(({ target }) => folderOf(target))
        .filter((target) => target !== folder && !row.includes(target))
        .map((target) => `${source.file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('grants nothing that no file uses', () => {
    const used = new Set(
      sources.flatMap((source) =>
        importsOf(source).map(({ target }) => `${folderOf(source.file)} ${folderOf(target)}`),
      ),
    );
    const unused = [...granted].flatMap(([folder, imports]) =>
      imports
        .filter((name) => name !== 'anything')
        .filter((name) => !expandAlias(name).some((each) => used.has(`${folder} ${each}`)))
        .map((name) => `${folder}: ${name}`),
    );
    expect(unused).toEqual([]);
  });
});

describe('the table of rooms', () => {
  const rooms = new Map(tableBelow('Rooms').map(([room = '', , imports]) => [room, namesIn(imports)]));
  const pathOf = (file: string) => dirname(file).replace(/^src\/?/, '');
  const isRoom = (path: string) => path.includes('/');

  /** The other rooms of the same folder that a file imports, by the names that a row grants. */
  function roomsUsedBy(source: Source): string[] {
    const own = pathOf(source.file);
    return importsOf(source)
      .filter(({ target }) => target.startsWith('src/') && folderOf(target) === folderOf(source.file))
      .map(({ target }) => pathOf(target))
      .filter((path) => path !== own)
      .map((path) => path.split('/').slice(1).join('/') || 'the top');
  }

  test('has a row for every folder inside a folder, and none for what is gone', () => {
    const present = new Set(sources.map(({ file }) => pathOf(file)).filter(isRoom));
    expect([...rooms.keys()].toSorted()).toEqual([...present].toSorted());
  });

  test('says what each room imports of its own folder', () => {
    const wrong = sources
      .filter(({ file }) => isRoom(pathOf(file)))
      .flatMap((source) =>
        roomsUsedBy(source)
          .filter((name) => !rooms.get(pathOf(source.file))?.includes(name))
          .map((name) => `${source.file} imports ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  test('grants nothing that no file uses', () => {
    const used = new Set(
      sources.flatMap((source) => roomsUsedBy(source).map((name) => `${pathOf(source.file)}: ${name}`)),
    );
    const granted = [...rooms].flatMap(([room, names]) => names.map((name) => `${room}: ${name}`));
    expect(granted.filter((grant) => !used.has(grant))).toEqual([]);
  });

  test('no folder holds more than 25 files of its own', () => {
    const counts = Map.groupBy(sources, ({ file }) => dirname(file));
    const crowded = [...counts].filter(([, files]) => files.length > 25).map(([folder]) => folder);
    expect(crowded).toEqual([]);
  });
});

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names files that exist', (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const named = [...text.matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|mjs))`/g)].map(([, path = '']) => path);
  expect(named).not.toEqual([]);
  const missing = named.filter(
    (path) => !existsSync(join(root, path)) && !existsSync(join(root, 'src', path)),
  );
  expect(missing).toEqual([]);
});

test('no file imports itself by way of others, types included', () => {
  const imports = new Map(
    sources.map((source) => [
      source.file,
      importsOf(source).flatMap(({ target }) => (target.startsWith('src/') ? [target] : [])),
    ]),
  );
  expect(findCycles(imports)).toEqual([]);
});

/** Depth first; a file that is met again while it is still open closes a cycle. */
function findCycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(file: string, path: readonly string[]): void {
    const open = path.indexOf(file);
    if (open !== -1) cycles.push([...path.slice(open), file].join(' → '));
    if (open !== -1 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  }
  for (const file of imports.keys()) visit(file, []);
  return cycles;
}

describe('what nobody needs is not there', () => {
  const everywhere = [...sources, ...readAll('test'), ...readAll('bench'), ...readAll('scripts')];
  const users = everywhere.flatMap((source) =>
    importsOf(source).map((used) => ({ ...used, by: source.file })),
  );
  const usersOf = (file: string) => users.filter(({ target, by }) => target === file && by !== file);
  const started =
    readFileSync(join(root, 'package.json'), 'utf8') + readFileSync(join(root, 'action.yml'), 'utf8');

  test('every file is imported or started by something', () => {
    const texts = everywhere.map(({ file, text }) => ({ file, text }));
    const orphans = sources.filter(({ file }) => {
      const name = file.split('/').at(-1) ?? file;
      const isStarted =
        started.includes(file) ||
        texts.some((other) => other.file !== file && other.text.includes(`/${name}'`));
      return usersOf(file).length === 0 && !isStarted;
    });
    expect(orphans.map(({ file }) => file)).toEqual([]);
  });

  test('every export has an importer; one that only tests import is used in its own file too', () => {
    const unused = sources.flatMap(({ file, text }) => {
      const byFile = usersOf(file);
      return exportsOf(text).flatMap((name) => {
        const importers = byFile.filter(({ names }) => names === 'all' || names.includes(name));
        if (importers.some(({ by }) => !by.startsWith('test/'))) return [];
        const usedHere = [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length > 1;
        return importers.length > 0 && usedHere ? [] : [`${file}: ${name}`];
      });
    });
    expect(unused).toEqual([]);
  });

  function exportsOf(text: string): string[] {
    const pattern = /^export (?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;
    // Files that the program writes are texts in backquotes: their exports are not ours.
    const own = text.replaceAll(/`[^`]*`/g, '``');
    return [...new Set([...own.matchAll(pattern)].map(([, name = '']) => name))];
  }
});

describe('test/ mirrors src/', () => {
  const APART = [
    'e2e',
    'e2e-github',
    'browser',
    'agents-real',
    'attacks',
    'fixtures',
    'golden',
    'scripts',
    'sandbox',
    'simulation',
  ];
  test('a test is named after the source file whose rule it proves', () => {
    const files = new Set(sources.map(({ file }) => file));
    const strays = readAll('test')
      .map(({ file }) => file)
      .filter((file) => file.endsWith('.test.ts') && file.split('/').length > 2)
      .filter((file) => !APART.includes(file.split('/')[1] ?? ''))
      .filter(
        (file) => !files.has(file.replace(/^test\//, 'src/').replace(/\.(?:[\w-]+\.)?test\.ts$/, '.ts')),
      );
    expect(strays).toEqual([]);
  });
});

test('the pure folders have no clock, no randomness and no process', () => {
  const pure = ['core', 'guards', 'commands', 'comments', 'agents'];
  const impure = /Date\.now|new Date\(\)|Math\.random|\bprocess\.|performance\.|setTimeout|crypto/;
  const wrong = sources
    .filter(({ file }) => pure.includes(folderOf(file)))
    .filter(({ text }) => impure.test(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')))
    .map(({ file }) => file);
  expect(wrong).toEqual([]);
});

test('N-1: nothing in core, commands, comments and handlers knows which desk it runs in', () => {
  const blind = ['src/core/', 'src/commands/', 'src/comments/', 'src/app/handlers/'];
  // The catalogue names the settings of every program to the person who has to change them.
  // The other one has the names of variables that no agent gets, wherever it runs.
  const exempt = ['src/core/error-catalogue.ts', 'src/core/variable-name.ts'];
  const telling =
    /actions-desk|github-actions\[bot\]|AUTOBUILD_(?:KEY|ENV|MODEL_KEY)|GITHUB_[A-Z]+|isConnected|pagesUrl|\b(?:is|has|no|without)(?:Hosted|Server)\b/;
  const knowing = sources
    .filter(({ file }) => blind.some((folder) => file.startsWith(folder)) && !exempt.includes(file))
    .filter(({ text }) => telling.test(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')))
    .map(({ file }) => file);
  expect(knowing).toEqual([]);
});

test('only entrypoints read the environment', () => {
  const readers = sources
    .filter(({ text }) => text.includes('process.env'))
    .map(({ file }) => file)
    .filter((file) => file.split('/').length > 2 && !file.startsWith('src/sandbox/'));
  expect(readers).toEqual([]);
});

/** Files that a newcomer opens at most. A walk that needs more has lost its way; shorter ones are welcome. */
const LONGEST_WALK: Record<string, number> = {
  'label → dispatched': 12,
  'failing tool → comment': 27,
  'tick → resumed': 18,
  '/provide at a terminal': 16,
};

/** What the last file of a walk does, as its text says it. */
const DEED: Record<string, string> = {
  'label → dispatched': 'github.dispatchWorkflow(',
  'failing tool → comment': 'function renderEscalation(',
  'tick → resumed': 'github.dispatchWorkflow(',
  '/provide at a terminal': 'function ordersFor(',
};

/**
 * Where a file does not import the next one of its walk: what of it leads there. It is called by an earlier file and returns to it,
 * calls what it was handed, stores something that the other reads, or sends it.
 */
const HANDED_ON: Record<string, string> = {
  'web/ingest.ts → app/workers/workers.ts': "Pick<Inbox, 'put'>",
  'app/workers/work-queue.ts → app/app.ts': 'await work(item)',
  'core/decide/decide.ts → app/workers/work-lane.ts': "'dispatch_job'",
  'core/decide/answer/resume-run.ts → app/workers/work-lane.ts': '...nextJob(',
  'core/decide/raise-escalation.ts → app/workers/workers.ts': "{ type: 'ask'",
  'runner/process/supervise.ts → runner/output/agent-output.ts': 'onLine',
  'runner/output/agent-output.ts → runner/job/turn/turn-events.ts': 'on.',
  'runner/output/read-action.ts → runner/job/job.ts': 'export function createActionReader(',
  'guards/errors.ts → runner/job/turn/live-turn.ts': 'export const sameErrorRepeated',
  'runner/job/turn/live-turn.ts → link/http.ts': 'link.',
  'link/http.ts → server.ts': 'baseUrl',
  'commands/parse-line.ts → cli/commands/run-command.ts': 'export function parseTerminalLine(',
  'core/secrets/seal-command.ts → core/decide/desk.ts': 'export async function sealCommand(',
  'core/decide/answer/resume-run.ts → link/in-process.ts': 'prepareAnswer(',
};

test('every file of the four walks leads to the next one, the last does the deed, and no walk is too long', () => {
  const walks = tableBelow('Four walks');
  expect(walks.map(([walk = '', cell]) => [walk, namesIn(cell).length <= (LONGEST_WALK[walk] ?? 0)])).toEqual(
    Object.keys(LONGEST_WALK).map((walk) => [walk, true]),
  );
  const textOf = (name: string) => readFileSync(join(root, 'src', name), 'utf8');
  const importsOf = (name: string) =>
    [...textOf(name).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path = '']) =>
      join(dirname(name), path),
    );
  const handed = new Set<string>();
  for (const [walk = '', cell] of walks) {
    const files = namesIn(cell);
    const broken = files.slice(1).filter((file, index) => {
      const before = files[index] ?? '';
      if (importsOf(before).includes(file)) return false;
      const hop = `${before} → ${file}`;
      handed.add(hop);
      // The desk is another process, which the job reaches by HTTP.
      const isKnown =
        file === 'server.ts' || files.slice(0, index + 1).some((name) => importsOf(name).includes(file));
      return !isKnown || HANDED_ON[hop] === undefined || !textOf(before).includes(HANDED_ON[hop]);
    });
    expect({ walk, broken }).toEqual({ walk, broken: [] });
    expect(textOf(files.at(-1) ?? ''), walk).toContain(DEED[walk]);
  }
  expect([...handed].sort()).toEqual(Object.keys(HANDED_ON).sort());
});
