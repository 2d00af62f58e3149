import { createHash } from 'node:crypto';
import type { Envelope } from '../core/contracts/envelope.ts';
import type { BlobName } from '../core/ports/job-api.ts';

/** Ordered lines, one for each claim and for each blob that was saved between two claims. Each is sealed. */
export const CLAIMS_FILE = 'claims.jsonl';
/** Each file in it is sealed and named after its digest. */
export const BLOBS_DIRECTORY = 'blobs';
/** The finished work for the job that verifies it, which has no key. Written only if no value that people gave is in it. */
export const CHANGESET_FILE = 'changeset.json';

/** GitHub takes no more than this in one file of the state, with what sealing and base64 add. */
export const MAX_BLOB_BYTES = 25 * 1024 * 1024;

/** A blob that was saved, by the digest of its sealed bytes. */
export interface BlobLine {
  blob: BlobName;
  sha256: string;
}
export type ArtifactLine = Envelope | BlobLine;

/** Artifacts of a public repository can be read by everybody, so what they hold is sealed with the job's key. */
export interface ArtifactSealer {
  seal(plain: Uint8Array, context: string[]): Uint8Array;
  open(sealed: Uint8Array, context: string[]): Uint8Array;
}

export interface ArtifactPlace {
  run: string;
  /** The number of the job. */
  job: number;
}

/** A line or blob of another job cannot be opened as one of this job. */
export function contextOf({ run, job }: ArtifactPlace, what: 'claim' | BlobName): string[] {
  return ['artifact', run, String(job), what];
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
