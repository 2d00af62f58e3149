import { isStopCertain } from '../core/contracts/isolation.ts';
import type { BaseVerification, Verification } from '../core/contracts/verification.ts';
import type { VerifyLink } from '../core/ports/job-link.ts';
import type { Changeset } from '../core/work/changeset.ts';
import type { Box } from '../runner/box/box.ts';
import { scrubEnv } from '../runner/checks/scrub-env.ts';
import { runVerification } from '../runner/checks/verify.ts';
import { CHECKS_OUTSIDE, checkBoxOf } from '../runner/job/check-box.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';
import { markChecks } from '../runner/process/orphans.ts';
import { applyChangeset } from '../runner/workspace/apply-changeset.ts';
import { type BaseRun, prepareBaseRun } from './base-run.ts';
import type { CheckedOut } from './open-repository.ts';
import { readChangeset } from './restore-work.ts';

const MINUTE_MS = 60_000;
const MAX_AGAIN_MS = 15 * MINUTE_MS;
/** A second run that has to end sooner is not begun. */
const MIN_AGAIN_MS = MINUTE_MS;

interface VerifyJobInput {
  link: VerifyLink;
  run: string;
  /** The commit that the work is a change of. */
  headSha: string;
  checks: readonly string[];
  log: ActionLog;
  worktree: string;
  /** Outside the worktree. */
  runDir: string;
  repository: CheckedOut;
  env: Record<string, string>;
  box: Box;
  now(): Date;
  parking: AbortSignal;
  /** When a second run has to be over, because `timeout-minutes` would end the job, and with it the first result. */
  deadline: Date;
}

interface Verified {
  verification: Verification;
  withBase?: BaseVerification;
  leftOut: Changeset['left_out'];
}

/**
 * Runs the default branch's checks on the agent's files, on a machine where no agent ever ran. This is the only source
 * of "verified". If the work changes files that the checks depend on, they run once more with the base's versions of those.
 */
export async function runVerifyJob(input: VerifyJobInput): Promise<Verified> {
  const { link, log, worktree, parking, repository, headSha } = input;
  if (repository.config.check_isolation === 'host') log.annotate('warning', CHECKS_OUTSIDE);
  const saved = await link.getChangeset();
  const changeset = saved && readChangeset(saved);
  const prepared = changeset && (await prepareSecondRun(input, changeset));
  if (changeset) await applyChangeset(worktree, changeset, headSha);
  log.print(`${changeset?.files.length ?? 0} changed files on ${headSha}.`);
  const again = prepared && (await prepared.remember().then(() => prepared, warnAbout(log)));
  const began = input.now().getTime();
  const verification = await runChecks(input, parking);
  const leftOut = changeset?.left_out ?? [];
  // An interrupted check says nothing about the work.
  if (parking.aborted) return { verification, leftOut };
  const ended = input.now().getTime();
  const left = input.deadline.getTime() - ended;
  const limitMs = Math.min(MAX_AGAIN_MS, 2 * (ended - began) + MINUTE_MS, left);
  const withBase = again && (await runAgain(input, again, limitMs));
  await link.sendVerification(verification, saved, withBase);
  return { verification, withBase, leftOut };
}

/** The second run informs, so a failure to make it is told and changes nothing. */
async function prepareSecondRun(
  { log, worktree, runDir, repository, env, checks }: VerifyJobInput,
  changeset: Changeset,
): Promise<BaseRun | undefined> {
  return prepareBaseRun({
    worktree,
    runDir,
    repository,
    changeset,
    commands: checks,
    path: env.PATH,
  }).catch(warnAbout(log));
}

async function runAgain(
  input: VerifyJobInput,
  again: BaseRun,
  limitMs: number,
): Promise<BaseVerification | undefined> {
  const { log, parking } = input;
  if (limitMs < MIN_AGAIN_MS) {
    log.annotate('warning', 'No time is left to run the checks with the versions of the base, too.');
    return undefined;
  }
  const limit = AbortSignal.any([parking, AbortSignal.timeout(limitMs)]);
  log.print('The work changes files that the checks depend on. Once more, with the versions of the base:');
  const result = await again.verify(() => runChecks(input, limit)).catch(warnAbout(log));
  if (!limit.aborted) return result;
  if (!parking.aborted)
    log.annotate('warning', `The second run took more than ${Math.round(limitMs / 1000)} s and was stopped.`);
  return undefined;
}

function warnAbout(log: ActionLog): (error: unknown) => undefined {
  return (error) => {
    log.annotate('warning', `The checks could not run with the base's versions of their files: ${error}`);
  };
}

async function runChecks(
  { run, checks, log, worktree, repository, env, box, now }: VerifyJobInput,
  signal: AbortSignal,
): Promise<Verification> {
  const { enter, level } = checkBoxOf(box, repository.config.check_isolation);
  const verification = await runVerification({
    commands: checks,
    cwd: worktree,
    env: markChecks(scrubEnv(env, []), run),
    timeoutMs: repository.config.limits.check_minutes * MINUTE_MS,
    junit: repository.config.junit,
    signal,
    enter,
    hidesServices: isStopCertain(level),
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
  return verification;
}
