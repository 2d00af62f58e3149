import { WORKFLOW_PATH } from '../../core/config-path.ts';
import type { WorkflowFile, WorkflowJob } from '../workflow-file.ts';
import { type Finding, hint, ok } from './doctor-finding.ts';
import { findActionReferences } from './doctor-workflow.ts';

const REMEDY = `Give both jobs in ${WORKFLOW_PATH} the same steps before the action, as \`autobuild init\` does.`;

/** The job that verifies runs the same checks as the other one, so it needs the same set-up. */
export function examineSetUp({ jobs }: WorkflowFile): Finding[] {
  const build = jobs.find((job) => !job.isVerify && findActionReferences(job).length > 0);
  const verify = jobs.find((job) => job.isVerify && findActionReferences(job).length > 0);
  if (!build || !verify) return [];
  const [first, second] = [stepsBefore(build), stepsBefore(verify)];
  const check = 'set-up';
  if (second.length === 0) {
    const message = 'No step of the job that verifies sets up a language or installs packages.';
    return [hint(check, message, REMEDY)];
  }
  const missing = second.filter((step) => !first.includes(step));
  return missing.length === 0
    ? [ok(check, 'Both jobs have the same set-up.')]
    : [hint(check, `The jobs are set up differently: \`${build.name}\` lacks ${missing[0]}.`, REMEDY)];
}

/** The steps before the action, as text, without the checkout. */
function stepsBefore({ steps }: WorkflowJob): string[] {
  const at = steps.findIndex(({ uses }) => findActionReferences({ uses: uses ? [uses] : [] }).length > 0);
  return steps
    .slice(0, at)
    .map(({ uses, run }) => uses ?? run ?? '')
    .filter((text) => text !== '' && !text.startsWith('actions/checkout@'));
}
