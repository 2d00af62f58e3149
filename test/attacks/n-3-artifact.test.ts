import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RULES } from '../../src/guards/rules.ts';
import { createArtifactLink } from '../../src/link/artifact.ts';
import { contextOf, digestOf } from '../../src/link/artifact-format.ts';
import { readArtifact, readChangesetFile } from '../../src/link/read-artifact.ts';
import { expectLinear } from '../expect-linear.ts';
import {
  BEGAN,
  changesetOf,
  claimsOf,
  completeRun,
  heldBrief,
  NOW,
  PLACE,
  SEALER,
} from '../link/held-run.ts';

let directory: string;
const file = () => join(directory, 'claims.jsonl');
const blobs = () => join(directory, 'blobs');

const CLAIMS = claimsOf(completeRun().park());
const TYPES = CLAIMS.map(({ type }) => type);
const [FIRST = expect.fail()] = CLAIMS;
const LAST = CLAIMS.at(-1) ?? expect.fail();

/** What an honest build leaves. The agent has the key and the directory, and does the rest. */
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-artifact-'));
  const link = createArtifactLink({
    directory,
    held: heldBrief(),
    sealer: SEALER,
    rules: RULES,
    secrets: [],
  });
  for (const envelope of CLAIMS) {
    if (envelope.type === 'turn_ended') await link.putBlob('changeset', changesetOf({ 'a.ts': 'work' }));
    if (envelope.type === 'parked') await link.putBlob('checkpoint', Buffer.from('kept'));
    await link.report(envelope);
  }
  await link.close();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function read(parts: Partial<Parameters<typeof readArtifact>[0]> = {}) {
  const { entries, isLastWordThere, skipped } = readArtifact({
    directory,
    ...PLACE,
    sealer: SEALER,
    began: BEGAN,
    now: NOW,
    ...parts,
  });
  const claims = entries.flatMap((entry) => (entry.type === 'claim' ? [entry.envelope] : []));
  return {
    claims,
    types: claims.map(({ type }) => type),
    blobs: entries.flatMap((entry) => (entry.type === 'blob' ? [entry.name] : [])),
    isLastWordThere,
    skipped,
  };
}

function seal(plain: string | Uint8Array, place = PLACE): string {
  const bytes = typeof plain === 'string' ? Buffer.from(plain) : plain;
  return `${Buffer.from(SEALER.seal(bytes, contextOf(place, 'claim'))).toString('base64')}\n`;
}

/** The lines in place of those that are there. */
function write(...lines: unknown[]): void {
  writeFileSync(file(), lines.map((line) => seal(JSON.stringify(line))).join(''));
}

function saveBlob(name: 'changeset' | 'checkpoint', bytes: Uint8Array): string {
  const sealed = SEALER.seal(bytes, contextOf(PLACE, name));
  writeFileSync(join(blobs(), digestOf(sealed)), sealed);
  return digestOf(sealed);
}

function moveBehindLink(path: string): void {
  renameSync(path, `${path}-`);
  symlinkSync(`${path}-`, path);
}

function replace(path: string, make: (path: string) => void): void {
  rmSync(path, { recursive: true });
  make(path);
}

function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
}

test('N-3: an artifact that nobody touched is read as it was written', () => {
  expect(read()).toMatchObject({
    types: TYPES,
    blobs: ['changeset', 'changeset', 'checkpoint'],
    isLastWordThere: true,
    skipped: {},
  });
});

describe('N-3: what is no plain file of ours is not there', () => {
  const nothing = { types: [], blobs: [], isLastWordThere: false };
  test.each<[string, () => void]>([
    ['no directory', () => rmSync(directory, { recursive: true })],
    ['a file in its place', () => replace(directory, (path) => writeFileSync(path, 'x'))],
    ['no claims', () => rmSync(file())],
    ['an empty file of claims', () => truncateSync(file())],
    ['claims behind a link', () => moveBehindLink(file())],
    ['claims that are a link to nothing', () => replace(file(), (path) => symlinkSync('nowhere', path))],
    ['claims that are a link to themselves', () => replace(file(), (path) => symlinkSync(path, path))],
    ['claims that are a device', () => replace(file(), (path) => symlinkSync('/dev/zero', path))],
    ['claims that are a directory', () => replace(file(), mkdirSync)],
    ['claims that are a pipe', () => replace(file(), makePipe)],
  ])('%s', (_, change) => {
    change();
    expect(read()).toMatchObject(nothing);
  });

  test.each<[string, (path: string) => void]>([
    ['missing', rmSync],
    ['a link', moveBehindLink],
    ['a directory', (path) => replace(path, mkdirSync)],
    ['a pipe', (path) => replace(path, makePipe)],
    ['empty', (path) => truncateSync(path)],
    ['longer by a byte', (path) => appendFileSync(path, 'x')],
    ['huge', (path) => truncateSync(path, 60 * 1024 ** 3)],
  ])('a blob that is %s is skipped, and the claims stay', (_, change) => {
    for (const name of readdirSync(blobs())) change(join(blobs(), name));
    expect(read()).toMatchObject({
      types: TYPES,
      blobs: [],
      isLastWordThere: true,
      skipped: { 'a blob that is missing, changed or too large': 3 },
    });
    change(join(directory, 'changeset.json'));
    if (_ !== 'empty' && !_.startsWith('longer')) expect(readChangesetFile(directory)).toBeUndefined();
  });

  test('blobs in a directory behind a link', () => {
    moveBehindLink(blobs());
    expect(read()).toMatchObject({ types: TYPES, blobs: [] });
  });

  test('other files have no meaning, whatever they are named', () => {
    mkdirSync(join(blobs(), '__proto__'));
    for (const name of ['claims.jsonl.bak', 'state', 'brief', '-rf', 'a\nb'])
      writeFileSync(join(directory, name), 'x');
    expect(read()).toMatchObject({ types: TYPES, skipped: {} });
  });
});

describe('N-3: lines that are not of this job are skipped', () => {
  test('of another run, another job, another key, or moved from another artifact', () => {
    const whole = readFileSync(file(), 'utf8');
    expect(read({ run: 'r2' }).types).toEqual([]);
    expect(read({ job: 2 }).types).toEqual([]);
    write(
      FIRST,
      { ...LAST, run: 'r2' },
      { ...LAST, fence: 2 },
      { ...LAST, fence: 0 },
      { ...LAST, fence: '1' },
    );
    appendFileSync(file(), seal(JSON.stringify(LAST), { run: 'r1', job: 2 }));
    expect(read()).toMatchObject({
      types: ['job_started'],
      isLastWordThere: false,
      skipped: { 'of another run or job': 3, 'no line of this job': 2 },
    });
    writeFileSync(file(), whole);
    const sealer = { open: () => Buffer.from(JSON.stringify(LAST)) };
    expect(read({ sealer }).types).toEqual(['parked']);
  });

  test('cut off anywhere, what came before is read and the job has had no last word', () => {
    const whole = readFileSync(file());
    const ends = [...whole.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
    for (const [index, end] of ends.entries()) {
      for (const cut of [end - 1, end - 40, (ends[index - 1] ?? 0) + 1]) {
        writeFileSync(file(), whole.subarray(0, cut));
        const { types, isLastWordThere, skipped } = read();
        expect(TYPES.slice(0, types.length)).toEqual(types);
        expect([isLastWordThere, skipped['cut off']]).toEqual([false, 1]);
      }
    }
  });

  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['no JSON', '{"run":'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '1e999'],
    ['a text', '"parked"'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['a type nobody knows', JSON.stringify({ ...LAST, type: 'approved' })],
    ['a type of every object', JSON.stringify({ ...LAST, type: '__proto__' })],
    ['another protocol', JSON.stringify({ ...LAST, protocol: 99 })],
    ['no data', JSON.stringify({ ...LAST, data: undefined })],
    ['wrong data', JSON.stringify({ ...LAST, data: { guards: 'none' } })],
    ['a date that is none', JSON.stringify({ ...LAST, at: 'yesterday' })],
    ['a negative time', JSON.stringify({ ...LAST, active_ms: -1 })],
    ['a broken number', JSON.stringify({ ...LAST, seq: 1.5 })],
    ['an endless number', JSON.stringify(LAST).replace(/"active_ms":\d+/, '"active_ms":1e999')],
    ['nested for ever', `{"guards":${'['.repeat(1_000_000)}`],
    [
      'nested, and complete',
      JSON.stringify({ ...LAST, data: { guards: { loop_detected: 0 } } }).replace(
        '"loop_detected":0',
        `"loop_detected":${'['.repeat(50_000)}${']'.repeat(50_000)}`,
      ),
    ],
    ['a blob of another name', JSON.stringify({ blob: 'state', sha256: 'a'.repeat(64) })],
    ['a blob named like a path', JSON.stringify({ blob: 'changeset', sha256: '../../../../etc/passwd' })],
    ['a blob without a name', JSON.stringify({ blob: null })],
    ['a blob of a list', JSON.stringify({ blob: ['changeset'], sha256: ['a'.repeat(64)] })],
  ])('%s', (_, line) => {
    write(FIRST);
    appendFileSync(file(), seal(line));
    appendFileSync(file(), seal(JSON.stringify(LAST)));
    expect(read()).toMatchObject({
      types: ['job_started', 'parked'],
      isLastWordThere: true,
      skipped: { 'no line of this job': 1 },
    });
  });

  test('bytes that nobody sealed, of every kind', () => {
    const junk = ['', 'x', '=', JSON.stringify(LAST), '\0'.repeat(100), 'A'.repeat(100_000), '%%%', '\r'];
    writeFileSync(file(), `${junk.join('\n')}\n`);
    expect(read()).toMatchObject({ types: [], skipped: { 'no line of this job': junk.length } });
    writeFileSync(file(), Buffer.from(Array.from({ length: 50_000 }, (_, index) => (index * 7919) % 256)));
    expect(read().types).toEqual([]);
  });
});

describe('N-3: what is readable gains nothing', () => {
  test('names that every object has are no values', () => {
    const text = JSON.stringify({ ...FIRST, data: {} }).replace(
      '"data":{}',
      '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"data":{"__proto__":{"isolation":4}}',
    );
    writeFileSync(file(), seal(text));
    const [claim = expect.fail()] = read().claims;
    expect(Object.keys(claim)).toEqual(Object.keys(FIRST));
    expect(claim.data).toEqual({});
    expect(Object.getPrototypeOf(claim.data)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('times are those of the job, and in order', () => {
    const times = [
      '1970-01-01T00:00:00Z',
      '2026-11-17T00:00:00Z',
      '2026-11-16T12:00:00Z',
      '9999-12-31T23:59:59Z',
      '2026-11-18T00:00:00Z',
      '2026-02-31T00:00:00Z',
    ];
    write(...times.map((at, index) => ({ ...FIRST, seq: index + 1, at })));
    const found = read().claims.map(({ at }) => at);
    expect(found.slice(0, 4)).toEqual([
      BEGAN.toISOString(),
      '2026-11-17T00:00:00.000Z',
      '2026-11-17T00:00:00.000Z',
      NOW.toISOString(),
    ]);
    for (const at of found.slice(4)) expect(at).toBe(NOW.toISOString());
    // Even if the desk's own clock went backwards.
    const [first] = read({ began: NOW, now: BEGAN }).claims;
    expect(first?.at).toBe(BEGAN.toISOString());
  });

  test('a claim counts once, and only after those before it', () => {
    write(...[3, 3, 1, 2, 4, 4].map((seq) => ({ ...FIRST, seq })));
    expect(read().claims.map(({ seq }) => seq)).toEqual([3, 4]);
  });

  test('after its last word a job says nothing more', () => {
    const late = { ...CLAIMS.find(({ type }) => type === 'turn_ended'), seq: 100 };
    const sha256 = saveBlob('changeset', changesetOf({ 'b.ts': 'late' }));
    write(
      FIRST,
      LAST,
      LAST,
      { ...LAST, seq: 99 },
      late,
      { ...LAST, type: 'handed_over', seq: 101 },
      {
        blob: 'changeset',
        sha256,
      },
    );
    expect(read()).toMatchObject({
      types: ['job_started', 'parked'],
      blobs: [],
      skipped: { 'after the last word': 5 },
    });
  });

  test('a digest that was forged, or a blob under another name, opens nothing', () => {
    const checkpoint = saveBlob('checkpoint', Buffer.from('kept'));
    const other = saveBlob('changeset', changesetOf({ 'b.ts': 'x' }));
    writeFileSync(join(blobs(), 'f'.repeat(64)), readFileSync(join(blobs(), other)));
    write(
      { blob: 'changeset', sha256: 'f'.repeat(64) },
      FIRST,
      { blob: 'changeset', sha256: checkpoint },
      LAST,
    );
    expect(read()).toMatchObject({ types: ['job_started', 'parked'], blobs: [] });
  });
});

describe('N-3: sizes and numbers have an end', () => {
  test('thousands of claims', () => {
    const lines = Array.from({ length: 5_000 }, (_, index) =>
      seal(JSON.stringify({ ...FIRST, seq: index + 1 })),
    );
    writeFileSync(file(), lines.join(''));
    const { claims, skipped } = read();
    expect([claims.length, skipped]).toEqual([2_000, { 'too many': 3_000 }]);
  });

  test('a line of megabytes, and a file of gigabytes', () => {
    writeFileSync(file(), seal(JSON.stringify(FIRST)));
    appendFileSync(file(), seal(JSON.stringify({ ...FIRST, seq: 2, more: 'x'.repeat(5_000_000) })));
    appendFileSync(file(), seal(JSON.stringify({ ...LAST, seq: 3 })));
    expect(read()).toMatchObject({ types: ['job_started', 'parked'], skipped: { 'too long': 1 } });
    truncateSync(file(), 20 * 1024 ** 3);
    expect(read()).toMatchObject({ types: ['job_started', 'parked'], skipped: { 'cut off': 1 } });
  });

  test('many large blobs: the newest are read, up to the end of the allowance', () => {
    const sha256 = saveBlob('checkpoint', Buffer.alloc(20 * 1024 * 1024));
    write(
      ...Array.from({ length: 12 }, (_, index) => [
        { blob: 'checkpoint', sha256 },
        { ...FIRST, seq: index + 1 },
      ]).flat(),
    );
    const { claims, blobs: found, skipped } = read();
    expect(claims).toHaveLength(12);
    expect([found.length, skipped]).toEqual([4, { 'a blob that is missing, changed or too large': 8 }]);
  });

  test('a blob that is named again and again is read once', () => {
    const sha256 = saveBlob('changeset', changesetOf({ 'a.ts': 'x' }));
    write(...Array.from({ length: 500 }, () => ({ blob: 'changeset', sha256 })), FIRST);
    expect(read()).toMatchObject({ blobs: ['changeset'], types: ['job_started'], skipped: {} });
  });

  test('reading takes steps in proportion to what is there', () => {
    expectLinear((size) => {
      writeFileSync(file(), 'AAAA\n'.repeat(size));
      read();
    }, 400);
    expectLinear((size) => {
      writeFileSync(file(), seal(`[${'"\\"",'.repeat(size)}`));
      read();
    }, 400);
  });
});
