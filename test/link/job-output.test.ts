import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  packOutput,
  packResult,
  readHandedOver,
  readResult,
  unpackOutput,
} from '../../src/link/job-output.ts';
import { PASSING, tests } from '../core/run-builder.ts';

const pack = (value: unknown) => packOutput(Buffer.from(JSON.stringify(value))) ?? expect.fail('too long');

test('N-1: bytes go from job to job as text, up to what an output can have', () => {
  const bytes = randomBytes(300_000);
  expect(unpackOutput(packOutput(bytes) ?? '', 300_000)).toEqual(bytes);
  expect(packOutput(randomBytes(400_000))).toBeUndefined();
});

test('N-1: a result of any size arrives: what the checks printed is cut first, and what they found stays', () => {
  const small = { verification: PASSING, changeset: 'a'.repeat(64) };
  expect(readResult(packResult(small))).toEqual(small);
  const failing = tests(3, 5, { failing: ['sum', 'login'] });
  const noise = () => randomBytes(300_000).toString('hex');
  const checks = [1, 2, 3].flatMap(() => failing.checks.map((check) => ({ ...check, output_tail: noise() })));
  const verification = { ...failing, checks };
  const read = readResult(packResult({ verification, changeset: null, with_base: undefined }));
  expect(read).toMatchObject({
    changeset: null,
    verification: { ok: false, tests: { failing: ['sum', 'login'] } },
  });
  expect(read?.verification.checks.map(({ output_tail }) => output_tail.length)).toEqual([
    4_000, 4_000, 4_000,
  ]);
  const named = checks.map((check) => ({
    ...check,
    errors: [1, 2].map(() => ({ message: noise(), signature: 'x' })),
  }));
  const bare = readResult(packResult({ verification: { ...failing, checks: named }, changeset: null }));
  expect(bare?.verification).toMatchObject({ ok: false, checks: [{ ok: false, errors: [] }, {}, {}] });
});

test.each<[string, string]>([
  ['nothing', ''],
  ['no base64', '%%%'],
  ['no zstd', 'AAAA'],
  ['a bomb', zstdCompressSync(Buffer.alloc(400 * 1024 * 1024)).toString('base64')],
  ['no JSON', packOutput(Buffer.from('{')) ?? ''],
  ['something else', pack({ ok: true })],
  ['another digest', pack({ verification: PASSING, changeset: '../state' })],
  ['a list of megabytes', 'A'.repeat(2_000_000)],
  ['nested for ever', packOutput(Buffer.from(`{"verification":${'['.repeat(1_000_000)}`)) ?? ''],
])('N-3: a job that verifies cannot make the delivery fail by its result: %s', (_, text) => {
  expect(readResult(text)).toBeUndefined();
});

test('N-3: an output is read from a plain file of a size that an output can have', () => {
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-output-'));
  const file = join(directory, 'autobuild-result');
  try {
    expect(readHandedOver(directory, 'result')).toBeUndefined();
    writeFileSync(file, 'AAAA\n');
    expect(readHandedOver(directory, 'result')).toBe('AAAA');
    expect(readHandedOver(directory, 'changeset')).toBeUndefined();
    truncateSync(file, 20 * 1024 ** 3);
    expect(readHandedOver(directory, 'result')).toBeUndefined();
    symlinkSync('/dev/zero', join(directory, 'autobuild-changeset'));
    expect(readHandedOver(directory, 'changeset')).toBeUndefined();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
