import type { BaseVerification, Verification } from '../contracts/verification.ts';
import type { BlobName, ClaimResponse } from './job-api.ts';
import type { Link } from './ports.ts';

/** A job's connection to its desk, whatever lies between them. */
export interface JobLink extends Link {
  /** The brief of the job and the place where it works. */
  claimed: Omit<ClaimResponse, 'token'>;
  /** False if no answer can reach the job while it runs, so that a question ends it at once. */
  isLive: boolean;
  /** False if the desk keeps its current blob, because that one is being verified or the run is over. */
  putBlob(name: BlobName, bytes: Uint8Array): Promise<boolean>;
  /** Undefined if nothing was saved yet. */
  getBlob(name: BlobName): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/** The connection of a job that verifies. It runs code that nobody has reviewed, so it can do nothing else. */
export interface VerifyLink {
  /** Undefined if nothing was changed. */
  getChangeset(): Promise<Uint8Array | undefined>;
  /** `changeset` holds the exact bytes that were verified; undefined if there was none. */
  sendVerification(
    verification: Verification,
    changeset: Uint8Array | undefined,
    withBase?: BaseVerification,
  ): Promise<void>;
}
