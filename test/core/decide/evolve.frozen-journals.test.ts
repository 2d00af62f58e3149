import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMAND_NAMES } from '../../../src/core/contracts/command.ts';
import { Effect } from '../../../src/core/contracts/effect.ts';
import { Claim } from '../../../src/core/contracts/envelope.ts';
import { Input } from '../../../src/core/contracts/input.ts';
import { RUN_STATUSES, RunEvent } from '../../../src/core/contracts/run-event.ts';
import { foldRun } from '../../../src/core/decide/evolve.ts';
import { GUARDS } from '../../../src/guards/registry.ts';
import { openFileStore, readJournal } from '../../../src/store/file.ts';
import { journalOfGuard } from '../../guards/journal-of-guard.ts';
import { roundTrip } from '../run-builder.ts';

/** Journals that earlier code has written. See the README beside them: they are added to, and never made again. */
const folder = join(import.meta.dirname, '../..', 'fixtures', 'journals');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => basename(file, '.jsonl'));
const journal = (name: string) => join(folder, `${name}.jsonl`);
const frozenState = (name: string): unknown =>
  JSON.parse(readFileSync(join(folder, `${name}.state.json`), 'utf8'));
/** `<name>.line-<n>.state.json`: how things stood after n lines, for facts that the end no longer shows. */
const midway = readdirSync(folder).flatMap((file) => {
  const [, name = '', lines] = /^(.+)\.line-(\d+)\.state\.json$/.exec(file) ?? [];
  return lines ? [{ name, lines: Number(lines) }] : [];
});
const read = (name: string) => readJournal(readFileSync(journal(name)), name);

/**
 * Paths that stand in the frozen record and are not equal now. Fields that only the record of now has are allowed, because
 * later code may add optional ones; an array keeps its length, and an empty record stays empty.
 */
function changedPaths(frozen: unknown, now: unknown, path = ''): string[] {
  if (frozen === null || typeof frozen !== 'object') return Object.is(frozen, now) ? [] : [path];
  if (now === null || typeof now !== 'object' || Array.isArray(frozen) !== Array.isArray(now)) return [path];
  const keys = Object.keys(frozen);
  const closed = Array.isArray(frozen) || keys.length === 0;
  if (closed && Object.keys(now).length !== keys.length) return [path];
  return keys.flatMap((key) =>
    changedPaths(
      (frozen as Record<string, unknown>)[key],
      (now as Record<string, unknown>)[key],
      `${path}.${key}`,
    ),
  );
}

describe.each(names)('%s', (name) => {
  test('E-17: every line is accepted, and nothing of it is lost', () => {
    const { commits, torn } = read(name);
    expect(torn).toBe('');
    const lines = readFileSync(journal(name), 'utf8').trimEnd().split('\n');
    for (const [index, line] of lines.entries()) {
      const { v: _, ...written } = JSON.parse(line);
      expect(changedPaths(written, roundTrip(commits[index]))).toEqual([]);
    }
  });

  test('E-17: it folds to the frozen state', () => {
    const state = foldRun(read(name).commits.flatMap(({ events }) => events));
    expect(changedPaths(frozenState(name), roundTrip(state))).toEqual([]);
  });

  test('E-17: a file store opened on a copy loads the frozen state', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'autobuild-frozen-'));
    copyFileSync(journal(name), join(directory, 'journal.jsonl'));
    const store = openFileStore(directory);
    try {
      const { version, state } = await store.load(name);
      expect(store.repaired).toBeUndefined();
      expect(version).toBe(read(name).commits.length);
      expect(changedPaths(frozenState(name), roundTrip(state))).toEqual([]);
    } finally {
      store.close();
      rmSync(directory, { recursive: true });
    }
  });
});

test.each(midway)('E-17: $name folds to the frozen state after $lines lines', ({ name, lines }) => {
  const state = foldRun(
    read(name)
      .commits.slice(0, lines)
      .flatMap(({ events }) => events),
  );
  expect(changedPaths(frozenState(`${name}.line-${lines}`), roundTrip(state))).toEqual([]);
});

describe('the frozen journals hold all that a journal can hold', () => {
  const commits = names.flatMap((name) => read(name).commits);
  const inputs = commits.map(({ input }) => input);
  const events = commits.flatMap((commit) => commit.events);
  const typesOf = (schema: { options: readonly { shape: { type: { value: string } } }[] }) =>
    schema.options.map((option) => option.shape.type.value);

  test.each([
    { what: 'event', all: typesOf(RunEvent), seen: events.map(({ type }) => type) },
    { what: 'effect', all: typesOf(Effect), seen: commits.flatMap((c) => c.effects.map(({ type }) => type)) },
    { what: 'input', all: typesOf(Input), seen: inputs.map(({ type }) => type) },
    {
      what: 'claim',
      all: typesOf(Claim),
      seen: inputs.flatMap((input) => (input.type === 'claim' ? [input.envelope.type] : [])),
    },
    {
      what: 'command',
      all: COMMAND_NAMES,
      seen: inputs.flatMap((input) => (input.type === 'command' ? [input.command.name] : [])),
    },
    {
      what: 'guard that trips',
      all: GUARDS.map(({ id }) => id),
      seen: events.flatMap((event) =>
        event.type === 'escalation_raised' ? event.escalation.triggers.map(({ guard }) => guard) : [],
      ),
    },
    {
      what: 'status at the end of a journal',
      all: RUN_STATUSES,
      seen: names.map((name) => (frozenState(name) as { status: string }).status),
    },
  ])('E-17: every $what', ({ what, all, seen }) => {
    const known = new Set<string>(seen);
    const missing = all.filter((type) => !known.has(type));
    expect(missing, howToFreeze(what, missing)).toEqual([]);
  });

  function howToFreeze(what: string, missing: readonly string[]): string {
    const source = what.startsWith('guard') ? `--guard ${missing[0]}` : '<journal.jsonl> <name>';
    return `No frozen journal holds this ${what}: ${missing.join(', ')}. Add one: npx node scripts/freeze-journal.mjs ${source} (see test/fixtures/journals/README.md)`;
  }

  test.each(GUARDS)('E-17: freeze-journal.mjs can make a journal in which $id trips alone', ({ id }) => {
    const { commits, torn } = readJournal(journalOfGuard(id), id);
    expect(torn).toBe('');
    const raised = commits.flatMap(({ events: made }) =>
      made.flatMap((event) => (event.type === 'escalation_raised' ? event.escalation.triggers : [])),
    );
    expect(raised.map(({ guard }) => guard)).toEqual([id]);
    expect(foldRun(commits.flatMap(({ events: made }) => made))?.pending).toBeUndefined();
  });
});

test('the comparison finds what changed, and allows what is new', () => {
  const frozen = { a: 1, list: [{ b: 2 }], empty: {} };
  expect(changedPaths(frozen, { a: 1, list: [{ b: 2, later: true }], empty: {}, later: 1 })).toEqual([]);
  expect(changedPaths(frozen, { a: '1', list: [{}], empty: { c: 3 } })).toEqual([
    '.a',
    '.list.0.b',
    '.empty',
  ]);
  expect(changedPaths(frozen, { a: 1, list: [], empty: {} })).toEqual(['.list']);
});
