import type * as z from 'zod';
import type { RunState } from '../core/contracts/run-state.ts';
import type { Verification } from '../core/contracts/verification.ts';
import { handle } from '../core/decide/handle.ts';
import type { VerificationRequest } from '../core/ports/job-api.ts';
import { hideInBaseVerification, hideInVerification } from '../core/secrets/hide-in-claims.ts';
import { openSecrets } from '../core/secrets/secrets-of-run.ts';
import type { ClaimsDesk } from './claims-desk.ts';
import { digestOf } from './digest-of.ts';

/**
 * Takes in the result of a verification job, once per `seen`. The caller has checked that it is of the verification that the run
 * waits for. False if other work than the run's was verified, or by other commands than the run's.
 */
export async function takeVerification(
  { store, rules, now }: ClaimsDesk,
  state: RunState,
  result: z.infer<typeof VerificationRequest>,
  { seen }: { seen: string },
): Promise<boolean> {
  const { run } = state;
  if (!isOfChecks(result.verification, state.checks)) return false;
  const bytes = await store.blobs.get(run, 'changeset');
  if ((bytes ? digestOf(bytes) : null) !== result.changeset) return false;
  const secrets = (await openSecrets(store.vault, state)).map(({ value }) => value);
  const verification = hideInVerification(result.verification, secrets);
  const again = result.with_base;
  const with_base =
    again && isOfChecks(again.verification, state.checks)
      ? hideInBaseVerification(again, secrets)
      : undefined;
  const at = now().toISOString();
  const changeset = result.changeset ?? undefined;
  const input = { type: 'verification', at, verification, changeset, with_base } as const;
  await handle(store.runs, rules, run, input, { seen: [seen] });
  return true;
}

/** The job runs all of the run's checks and nothing else. Whatever else it did says nothing about them. */
function isOfChecks({ checks }: Verification, commands: readonly string[]): boolean {
  return (
    checks.length === commands.length && checks.every(({ command }, index) => command === commands[index])
  );
}
