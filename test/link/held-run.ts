import { randomBytes } from 'node:crypto';
import type { Envelope } from '../../src/core/contracts/envelope.ts';
import { briefFor } from '../../src/core/decide/orders/brief-for.ts';
import type { HeldBrief } from '../../src/core/ports/held-brief.ts';
import { createSealer } from '../../src/store/seal.ts';
import { PASSING, Run, startRun } from '../core/run-builder.ts';

export const SEALER = createSealer(randomBytes(32).toString('base64'));
export const PLACE = { run: 'r1', job: 1 };
export const BEGAN = new Date('2026-11-16T00:00:00.000Z');
export const NOW = new Date('2026-11-20T00:00:00.000Z');
export const HEAD = 'a'.repeat(40);

/** A run that was just requested, as its first build finds it. */
export function heldBrief(parts: Partial<HeldBrief> = {}): HeldBrief {
  const { state } = new Run({ freshVerification: true });
  return {
    operation: 'op-1',
    brief: briefFor(state),
    place: { owner: 'acme', repo: 'web', issue: 7, head_sha: HEAD, default_branch: 'main' },
    state,
    version: 1,
    inputs: {},
    keys: { work: '', checkpoint: '' },
    ...parts,
  };
}

/** The claims of that build, from its first to its last. */
export function claimsOf(run: Run): Envelope[] {
  return run.commits.flatMap(({ input }) => (input.type === 'claim' ? [input.envelope] : []));
}

export function completeRun(): Run {
  return startRun({ freshVerification: true })
    .turn()
    .turn({ verification: PASSING, report: { status: 'implemented', summary: 'Added the page' } });
}

export function changesetOf(files: Record<string, string>): Buffer {
  return Buffer.from(
    JSON.stringify({
      base_sha: HEAD,
      files: Object.entries(files).map(([path, text]) => ({
        path,
        mode: '100644',
        status: 'added',
        content: Buffer.from(text).toString('base64'),
      })),
      left_out: [],
    }),
  );
}
