import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { foldRun } from '../../src/core/decide/evolve.ts';
import type { Commit } from '../../src/core/ports/ports.ts';
import { JournalError, openFileStore, readJournal } from '../../src/store/file.ts';
import { roundTrip, startRun } from '../core/run-builder.ts';

let directory: string;
let file: string;
const opened: ReturnType<typeof openFileStore>[] = [];

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'autobuild-store-')), 'run');
  file = join(directory, 'journal.jsonl');
});

function closeAll(): void {
  for (const store of opened.splice(0)) store.close();
}

afterEach(() => {
  closeAll();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

function open() {
  const store = openFileStore(directory);
  opened.push(store);
  return store;
}

/** A few commits, with letters of more than one byte in the last. */
function someCommits(): Commit[] {
  const run = startRun({ task: { title: 'Anmeldung für Ämter: 登录 🚪' } })
    .beginTurn()
    .askForHelp();
  run.say('/guide Für „Ämter“: 登录 🚪 zuerst');
  return run.commits;
}

async function fill(commits = someCommits()) {
  const store = open();
  for (const [index, commit] of commits.entries()) {
    expect(await store.commit('r1', index, commit)).toEqual({ ok: true, version: index + 1 });
  }
  return { store, commits };
}

const stateAfter = (commits: Commit[]) => roundTrip(foldRun(commits.flatMap((commit) => commit.events)));

describe('the journal in a file', () => {
  test('an empty store has nothing, and its file is for its owner only', async () => {
    expect(await open().load('r1')).toEqual({ version: 0, state: undefined });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('E-17: what was committed survives reopening', async () => {
    const { store, commits } = await fill();
    const before = await store.load('r1');
    const again = open();
    expect(again.repaired).toBeUndefined();
    expect(roundTrip(await again.load('r1'))).toEqual(roundTrip(before));
    expect(roundTrip(before.state)).toEqual(stateAfter(commits));
    expect(roundTrip(readJournal(readFileSync(file), file).commits)).toEqual(roundTrip(commits));
  });

  test('R-7: the loser of a compare-and-swap gets ok: false and writes nothing', async () => {
    const { store, commits } = await fill();
    const size = statSync(file).size;
    const [first] = commits;
    for (const version of [0, commits.length - 1, commits.length + 1]) {
      expect(await store.commit('r1', version, first ?? expect.fail())).toEqual({ ok: false });
    }
    expect(statSync(file).size).toBe(size);
  });

  test('R-7: of two stores on one file the slower one loses, loads, and then wins', async () => {
    const [first, second, third] = someCommits();
    if (!first || !second || !third) throw new Error('too few commits');
    const a = open();
    const b = open();
    expect(await a.commit('r1', 0, first)).toEqual({ ok: true, version: 1 });
    expect(await b.commit('r1', 0, first)).toEqual({ ok: false });
    expect((await b.load('r1')).version).toBe(1);
    expect(await b.commit('r1', 1, second)).toEqual({ ok: true, version: 2 });
    expect(await a.commit('r1', 1, second)).toEqual({ ok: false });
    expect(roundTrip(await a.load('r1'))).toEqual(roundTrip(await b.load('r1')));
    expect(await a.commit('r1', 2, third)).toEqual({ ok: true, version: 3 });
    expect(readJournal(readFileSync(file), file).commits).toHaveLength(3);
  });

  test('R-3: a last line cut off at any byte is set aside, and the state is that before it', async () => {
    const { commits } = await fill();
    closeAll();
    const whole = readFileSync(file);
    const start = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    const before = stateAfter(commits.slice(0, -1));
    for (let cut = start; cut < whole.length; cut += 1) {
      writeFileSync(file, whole.subarray(0, cut));
      const store = openFileStore(directory);
      const { version, state } = await store.load('r1');
      store.close();
      expect(version).toBe(commits.length - 1);
      expect(statSync(file).size).toBe(start);
      expect(store.repaired === undefined).toBe(cut === start);
      // Folding is the same every time: a few looks are enough.
      if (cut % 97 === 0 || cut === whole.length - 1) expect(roundTrip(state)).toEqual(before);
    }
    expect(readFileSync(`${file}.torn`, 'utf8')).toBe(
      whole.subarray(start, whole.length - 1).toString('utf8'),
    );
    const last = commits.at(-1) ?? expect.fail();
    expect(await open().commit('r1', commits.length - 1, last)).toEqual({
      ok: true,
      version: commits.length,
    });
    expect(readFileSync(file).equals(whole)).toBe(true);
  });

  test.each([
    ['a line that is no JSON', (lines: string[]) => lines.with(1, '{"v":1')],
    ['a line of zeros', (lines: string[]) => lines.with(1, '\0'.repeat(50))],
    ['an empty line', (lines: string[]) => lines.with(1, '')],
    [
      'a line of a later version',
      (lines: string[]) => lines.with(1, (lines[1] ?? '').replace('"v":1', '"v":2')),
    ],
    [
      'an unknown event',
      (lines: string[]) => lines.with(1, (lines[1] ?? '').replace('"job_started","at"', '"job_sang","at"')),
    ],
  ])(
    'R-12: %s in the middle is damage: named by line, and the file left as it is',
    async (_title, damage) => {
      await fill();
      closeAll();
      const lines = readFileSync(file, 'utf8').split('\n');
      writeFileSync(file, damage(lines).join('\n'));
      const damaged = readFileSync(file);
      expect(() => openFileStore(directory)).toThrow(JournalError);
      expect(() => openFileStore(directory)).toThrow(`${file}, line 2 is not a journal line`);
      expect(() => openFileStore(directory)).toThrow('Restore the file from a backup');
      expect(readFileSync(file).equals(damaged)).toBe(true);
      expect(existsSync(`${file}.torn`)).toBe(false);
    },
  );

  test('R-12: damage that appears while the store is open is found by its line', async () => {
    const { store, commits } = await fill();
    appendFileSync(file, 'junk\n');
    await expect(store.load('r1')).rejects.toThrow(`line ${commits.length + 1}`);
    truncateSync(file, 10);
    await expect(store.load('r1')).rejects.toThrow('line 1 was changed');
  });

  test('R-12: a disk that is full refuses the commit and leaves whole lines only', () => {
    const first = join(directory, '..', 'first.json');
    writeFileSync(first, JSON.stringify(startRun().commits[0]));
    const script = join(import.meta.dirname, '..', 'fixtures', 'store', 'fill-journal.ts');
    const child = spawnSync(
      'bash',
      ['-c', 'ulimit -f 8 && exec "$0" "$@"', process.execPath, script, directory, first],
      { encoding: 'utf8', timeout: 60_000 },
    );
    const result = JSON.parse(child.stdout || `"${child.stderr}"`);
    expect(result).toMatchObject({ refused: 'EFBIG', whole: true });
    expect(result.version).toBe(result.lines);
    expect(result.lines).toBeGreaterThan(2);
    expect(readJournal(readFileSync(file), file)).toMatchObject({ torn: '' });
  });
});
