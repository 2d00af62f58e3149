import type { Verification } from '../core/contracts/verification.ts';
import type { Changeset } from '../core/work/changeset.ts';
import type { HttpLink } from '../link/http.ts';
import { scrubEnv } from '../runner/checks/scrub-env.ts';
import { runVerification } from '../runner/checks/verify.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';
import { markChecks } from '../runner/process/orphans.ts';
import { applyChangeset } from '../runner/workspace/apply-changeset.ts';
import type { CheckedOut } from './open-repository.ts';
import { readChangeset } from './restore-work.ts';

interface VerifyJobInput {
  link: HttpLink;
  log: ActionLog;
  worktree: string;
  repository: CheckedOut;
  env: Record<string, string>;
  now(): Date;
  parking: AbortSignal;
}

/**
 * Runs the default branch's checks on the agent's files, on a machine where no agent ever ran. This is the only source
 * of "verified".
 */
export async function runVerifyJob(
  input: VerifyJobInput,
): Promise<{ verification: Verification; leftOut: Changeset['left_out'] }> {
  const { link, log, worktree, repository, env, now, parking } = input;
  const { brief, place } = link.claimed;
  const saved = await link.getBlob('changeset');
  const changeset = saved && readChangeset(saved);
  if (changeset) await applyChangeset(worktree, changeset, place.head_sha);
  log.print(`${changeset?.files.length ?? 0} changed files on ${place.head_sha}.`);
  const verification = await runVerification({
    commands: brief.checks,
    cwd: worktree,
    env: markChecks(scrubEnv(env, []), brief.run),
    timeoutMs: repository.config.limits.check_minutes * 60_000,
    junit: repository.config.junit,
    signal: parking,
    now,
    onProgress(command, phase) {
      if (phase === 'started') log.group(`Check: ${command}`);
    },
  });
  for (const check of verification.checks) {
    log.group(`${check.ok ? '✓' : '✗'} ${check.command}`);
    log.print(check.output_tail);
  }
  log.endGroup();
  // An interrupted check says nothing about the work.
  if (!parking.aborted) await link.sendVerification(verification, saved);
  return { verification, leftOut: changeset?.left_out ?? [] };
}
