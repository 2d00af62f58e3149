import type { VerifyLink } from '../core/ports/job-link.ts';
import { digestOf } from './artifact-format.ts';
import { packResult } from './job-output.ts';

/** The link of a job that verifies and has no connection: the work comes from the job before, and the result is an output. */
export function createOutputLink(
  changeset: Uint8Array | undefined,
  setResult: (text: string) => void,
): VerifyLink {
  return {
    getChangeset: async () => changeset,
    async sendVerification(verification, bytes, with_base) {
      setResult(packResult({ verification, changeset: bytes ? digestOf(bytes) : null, with_base }));
    },
  };
}
