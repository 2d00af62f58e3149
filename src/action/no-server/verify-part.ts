import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../core/parse-json.ts';
import { MAX_BLOB_BYTES } from '../../link/artifact-format.ts';
import { readHandedOver, unpackOutput } from '../../link/job-output.ts';
import { readChangesetFile } from '../../link/read-artifact.ts';
import { createOutputLink } from '../../link/verify-output.ts';
import type { ActionLog } from '../../runner/output/workflow-commands.ts';
import { findWorktree, openJob, temporaryOf } from '../open-job.ts';
import { verifyUntil } from '../time-limits.ts';
import { runVerifyJob } from '../verify-job.ts';
import { describeVerified, writeOutputs, writeSummary } from '../write-result.ts';
import { readIssue, WORK } from './read-issue.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The checks on a fresh machine, without any secret. The desk compares the result with the work that it has. */
export async function runVerifyPart(
  env: Environment,
  log: ActionLog,
  endFiles: () => void,
  parking: AbortSignal,
): Promise<void> {
  const startedAt = new Date();
  const run = `issue-${readIssue(env)}`;
  const headSha = env.INPUT_HEAD_SHA ?? '';
  const commits = { head: headSha, base: env.INPUT_BASE_SHA ?? '' };
  const job = await openJob(env, log, { worktree: findWorktree(env), commits, run, job: 0 });
  const checks = readChecks(env.INPUT_CHECKS, job.repository.config.verify);
  const handed = readHandedOver(temporaryOf(env), 'changeset');
  const changeset = handed
    ? unpackOutput(handed, MAX_BLOB_BYTES)
    : readChangesetFile(join(temporaryOf(env), WORK));
  let result: string | undefined;
  const link = createOutputLink(changeset, (text) => {
    result = text;
  });
  const deadline = verifyUntil(env, startedAt);
  const { verification, ...record } = await runVerifyJob({
    ...job,
    link,
    parking,
    run,
    headSha,
    checks,
    deadline,
  });
  endFiles();
  const { status, end } = describeVerified(verification);
  const title = `issue ${readIssue(env)}`;
  writeSummary(env, log, { title, run, job: 0, kind: 'verify', end, turns: [], verification, ...record });
  writeOutputs(env, { status, ...(result === undefined ? {} : { result }) });
}

/**
 * The desk's own list. Actions drops an output that contains a secret, most likely a `NAME=value` that is also in AUTOBUILD_ENV;
 * then the list is made as the desk made it. The desk takes no result of other commands.
 */
function readChecks(text = '', named: readonly string[] | undefined): readonly string[] {
  const { data } = z.array(z.string()).safeParse(parseJson(text));
  return data ?? named ?? text.split('\n').flatMap((line) => line.trim() || []);
}
