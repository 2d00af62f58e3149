import { zstdDecompressSync } from 'node:zlib';
import type * as z from 'zod';
import { parseJson } from '../core/parse-json.ts';
import { MAX_REPORT_BYTES, VerificationRequest } from '../core/ports/job-api.ts';

/** As long as all outputs of a job may be together. */
const MOST_CHARS = 1024 * 1024;

/**
 * Reads the output of a job that ran code which nobody has reviewed. Undefined if it is not the result of a verification, whatever
 * it is instead.
 */
export function readResult(output: string): z.infer<typeof VerificationRequest> | undefined {
  if (output === '' || output.length > MOST_CHARS) return undefined;
  try {
    const packed = Buffer.from(output, 'base64');
    const text = zstdDecompressSync(packed, { maxOutputLength: MAX_REPORT_BYTES }).toString('utf8');
    return VerificationRequest.safeParse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}
