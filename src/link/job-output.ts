import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CheckResult, Verification } from '../core/contracts/verification.ts';
import { parseJson } from '../core/parse-json.ts';
import { VerificationRequest } from '../core/ports/job-api.ts';
import { isShallow } from './is-shallow.ts';
import { readPlainFile } from './read-plain-file.ts';

/** Outputs of a job may have 1 MB, and GitHub counts two bytes for each character. */
const MAX_CHARS = 480_000;
const MAX_RESULT_BYTES = 8 * 1024 * 1024;
const MAX_LEVELS = 64;
/** Cut in these steps until the result fits. */
const TAIL_CHARS = [4_000, 500, 0];

/** Bytes as text that an output of a job can have. Undefined if there are too many. */
export function packOutput(bytes: Uint8Array): string | undefined {
  const text = zstdCompressSync(bytes).toString('base64');
  return text.length <= MAX_CHARS ? text : undefined;
}

/** Undefined if the text is not of `packOutput`, or if more comes out than expected. */
export function unpackOutput(text: string, maxBytes: number): Uint8Array | undefined {
  if (text.length > MAX_CHARS) return undefined;
  try {
    return zstdDecompressSync(Buffer.from(text, 'base64'), { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

/** The result of a verification as an output. The prints of the checks are cut until it fits; the second result is left out last. */
export function packResult(result: VerificationRequest): string {
  for (const tail of [Number.POSITIVE_INFINITY, ...TAIL_CHARS]) {
    const { verification, with_base, changeset } = result;
    const packed = packJson({
      changeset,
      verification: cutTails(verification, tail),
      with_base: with_base && { ...with_base, verification: cutTails(with_base.verification, tail) },
    });
    if (packed) return packed;
  }
  const short = { ...cutTails(result.verification, 0), tests: undefined };
  const checks = short.checks.map((check): CheckResult => ({ ...check, errors: [], tests: undefined }));
  return packJson({ changeset: result.changeset, verification: { ...short, checks } }) ?? '';
}

/** The job that verifies runs code that nobody has reviewed, so its result is a claim: undefined unless it is a valid one. */
export function readResult(text: string): VerificationRequest | undefined {
  const bytes = unpackOutput(text, MAX_RESULT_BYTES);
  const json = bytes && Buffer.from(bytes).toString('utf8');
  if (json === undefined || !isShallow(json, MAX_LEVELS)) return undefined;
  return VerificationRequest.safeParse(parseJson(json)).data;
}

/**
 * An output of another job. The workflow writes it into a file, because no process starts with a variable of more than 128 KiB,
 * and the other job may make it as long as it likes.
 */
export function readHandedOver(directory: string, name: 'changeset' | 'result'): string | undefined {
  const read = readPlainFile(join(directory, `autobuild-${name}`), MAX_CHARS + 1);
  return read?.isWhole ? read.bytes.toString('latin1').trim() || undefined : undefined;
}

function packJson(value: VerificationRequest): string | undefined {
  return packOutput(Buffer.from(JSON.stringify(value)));
}

function cutTails(verification: Verification, most: number): Verification {
  const cut = (check: CheckResult): CheckResult => ({
    ...check,
    output_tail: check.output_tail.length > most ? lastOf(check.output_tail, most) : check.output_tail,
  });
  return { ...verification, checks: verification.checks.map(cut) };
}

function lastOf(text: string, most: number): string {
  return most === 0 ? '' : text.slice(-most);
}
