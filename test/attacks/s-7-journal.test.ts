import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeJournalChanges } from '../../src/cli/describe-journal-changes.ts';
import { openFileStore } from '../../src/store/file.ts';
import { startRun } from '../core/run-builder.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-journal-'));
  file = join(directory, 'journal.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const raise = (text: string) => text.replaceAll('"max_iterations":10', '"max_iterations":99');

test.each([
  ['a raised limit', 'line 1 was changed', () => writeFileSync(file, raise(readFileSync(file, 'utf8')))],
  [
    'an approval that nobody gave',
    'line 3 was added',
    () => appendFileSync(file, readFileSync(file, 'utf8').split('\n')[1] ?? ''),
  ],
  [
    'another file in its place',
    'was replaced',
    () => {
      copyFileSync(file, `${file}.new`);
      renameSync(`${file}.new`, file);
    },
  ],
  ['no file', 'was removed', () => rmSync(file)],
])(
  'S-7: %s, written into the journal of a live run, is named and nothing is added',
  async (_, problem, attack) => {
    const { commits } = startRun().beginTurn();
    const [first, second, third] = commits;
    if (!first || !second || !third) throw new Error('The run is too short.');
    const store = openFileStore(directory);
    await store.commit('r1', 0, first);
    await store.commit('r1', 1, second);
    const before = readFileSync(file, 'utf8');
    attack();
    if (problem.includes('changed')) expect(readFileSync(file, 'utf8')).not.toBe(before);
    const attacked = problem.includes('removed') ? '' : readFileSync(file, 'utf8');
    await expect(store.commit('r1', 2, third)).rejects.toThrow(problem);
    await expect(store.load('r1')).rejects.toThrow('perhaps by the agent');
    if (attacked !== '') expect(readFileSync(file, 'utf8')).toBe(attacked);
    store.close();
  },
);

/** Written by one process, and opened by the next. */
async function writeRun(): Promise<string[]> {
  const store = openFileStore(directory);
  expect(store.changes).toEqual([]);
  const { commits } = startRun().beginTurn();
  for (const [index, commit] of commits.entries()) await store.commit('r1', index, commit);
  store.close();
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

function openNext(): string[] {
  const store = openFileStore(directory);
  store.close();
  return describeJournalChanges(store.changes);
}

const rewrite = (lines: string[]) => writeFileSync(file, lines.map((line) => `${line}\n`).join(''));

const APPROVAL = JSON.stringify({
  v: 1,
  input: { type: 'timer', at: '2026-11-16T13:00:00.000Z', timer: 'none' },
  events: [
    {
      type: 'limits_changed',
      at: '2026-11-16T13:00:00.000Z',
      rev: 2,
      limits: { max_iterations: 99 },
      approved_paths: ['.github/**'],
    },
  ],
  effects: [],
});

test.each<[string, (lines: string[]) => string[], string[]]>([
  [
    'a raised limit',
    (lines) => lines.map(raise),
    ["The journal's line 1 was changed by hand or by another program", '"max_iterations":99'],
  ],
  [
    'an approval at the end',
    (lines) => [...lines, APPROVAL],
    ["The journal's line 5 was added", 'limits {"max_iterations":99} and approvals [".github/**"]'],
  ],
  [
    'an approval in between',
    ([first = '', ...rest]) => [first, APPROVAL, ...rest],
    ["The journal's line 2 was added", '.github/**'],
  ],
  ['a line less', ([first = '', , ...rest]) => [first, ...rest], ['line before line 2 was removed']],
  ['its last line less', (lines) => lines.slice(0, -1), ['last line is missing', 'or somebody removed it']],
])('S-7: %s, between two processes of a run, is named on resume', async (_, attack, words) => {
  const lines = await writeRun();
  expect(openNext()).toEqual([]);
  rewrite(attack(lines));
  const named = openNext();
  expect(named).toHaveLength(1);
  for (const word of words) expect(named[0]).toContain(word);
});

test('S-7: a record that is gone is named once; a line that a crash cut off is no attack', async () => {
  const lines = await writeRun();
  rmSync(join(directory, 'journal.digests'));
  expect(openNext()).toEqual([expect.stringContaining('manual edits cannot be found')]);
  expect(openNext()).toEqual([]);
  writeFileSync(file, `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)?.slice(0, 20)}`);
  expect(openNext()).toEqual([]);
  const { commits } = startRun().beginTurn();
  const store = openFileStore(directory);
  await store.commit('r1', commits.length - 1, commits.at(-1) ?? expect.fail('no commit'));
  store.close();
  expect(openNext()).toEqual([]);
});
