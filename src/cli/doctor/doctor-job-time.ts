import { WORKFLOW_PATH } from '../../core/config-path.ts';
import { DEFAULT_JOB_MINUTES } from '../../core/default-job-minutes.ts';
import type { WorkflowFile, WorkflowJob } from '../workflow-file.ts';
import { type Finding, hint, ok, problem, unknown } from './doctor-finding.ts';
import { findActionReferences } from './doctor-workflow.ts';

/** GitHub's limit for a job that sets none, and for every job on its own machines. */
const LONGEST_JOB_MINUTES = 360;
const GITHUBS_OWN = /^(?:ubuntu|windows|macos)-/i;
/** The time that a job needs at its end, to save its work for its successor. */
const SAVING_MINUTES = 5;

/** A job that Actions ends has no time to save its work. It has to hand over to its successor before. */
export function examineJobTime({ jobs }: WorkflowFile): Finding[] {
  return jobs.filter((job) => !job.isVerify && findActionReferences(job).length > 0).map(examineJob);
}

function examineJob(job: WorkflowJob): Finding {
  const { name, jobMinutes: written } = job;
  const timeoutMinutes = endOf(job);
  const check = 'time';
  const minutes = Number(written || DEFAULT_JOB_MINUTES);
  const where = `${WORKFLOW_PATH}: \`jobs.${name}\``;
  if (timeoutMinutes === 'unreadable' || Number.isNaN(minutes) || minutes <= 0) {
    const remedy = 'Write both as plain numbers, the job minutes below the time-out.';
    return unknown(
      check,
      `${where}: AUTOBUILD_JOB_MINUTES and \`timeout-minutes\` cannot be compared.`,
      remedy,
    );
  }
  const remedy = `Set AUTOBUILD_JOB_MINUTES to ${Math.max(1, timeoutMinutes - 2 * SAVING_MINUTES)} or less, or \`timeout-minutes\` to more.`;
  const given = `AUTOBUILD_JOB_MINUTES is ${minutes}${written ? '' : ' by default'}`;
  if (minutes >= timeoutMinutes)
    return problem(
      check,
      `${where} is ended after ${timeoutMinutes} minutes, and ${given}: its work is lost.`,
      remedy,
    );
  if (minutes > timeoutMinutes - SAVING_MINUTES)
    return hint(
      check,
      `${where} is ended after ${timeoutMinutes} minutes, and ${given}: too late to save its work.`,
      remedy,
    );
  return ok(
    check,
    `A job hands over after ${minutes} minutes, before Actions ends it after ${timeoutMinutes}.`,
  );
}

/** When Actions ends the agent: by the limit of the job, of its machine or of the action's own step, whichever comes first. */
function endOf(job: WorkflowJob): number | 'unreadable' {
  const { timeoutMinutes = LONGEST_JOB_MINUTES, runsOn = [], steps } = job;
  const limits = [
    timeoutMinutes,
    ...(runsOn.some((label) => GITHUBS_OWN.test(label)) ? [LONGEST_JOB_MINUTES] : []),
    ...steps
      .filter(({ uses = '' }) => findActionReferences({ uses: [uses] }).length > 0)
      .flatMap((step) => step.timeoutMinutes ?? []),
  ];
  return limits.includes('unreadable') ? 'unreadable' : Math.min(...limits.map(Number));
}
