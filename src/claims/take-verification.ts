import type * as z from 'zod';
import type { RunState } from '../core/contracts/run-state.ts';
import { handle } from '../core/decide/handle.ts';
import type { VerificationRequest } from '../core/ports/job-api.ts';
import { hideInBaseVerification, hideInVerification } from '../core/secrets/hide-in-claims.ts';
import { openSecrets } from '../core/secrets/secrets-of-run.ts';
import type { ClaimsDesk } from './claims-desk.ts';
import { digestOf } from './digest-of.ts';

/**
 * Takes in the result of a verification job, once per `seen`. The caller has checked that it is of the verification that the run
 * waits for. False if other work than the run's was verified.
 */
export async function takeVerification(
  { store, rules, now }: ClaimsDesk,
  state: RunState,
  result: z.infer<typeof VerificationRequest>,
  { seen }: { seen: string },
): Promise<boolean> {
  const { run } = state;
  const bytes = await store.blobs.get(run, 'changeset');
  if ((bytes ? digestOf(bytes) : null) !== result.changeset) return false;
  const secrets = (await openSecrets(store.vault, state)).map(({ value }) => value);
  const verification = hideInVerification(result.verification, secrets);
  const with_base = result.with_base && hideInBaseVerification(result.with_base, secrets);
  const at = now().toISOString();
  const changeset = result.changeset ?? undefined;
  const input = { type: 'verification', at, verification, changeset, with_base } as const;
  await handle(store.runs, rules, run, input, { seen: [seen] });
  return true;
}
