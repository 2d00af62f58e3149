import { WORKFLOW_PATH } from '../../core/config-path.ts';
import type { WorkflowFile } from '../workflow-file.ts';
import { type Finding, hint, ok, problem } from './doctor-finding.ts';
import { findActionReferences } from './doctor-workflow.ts';

/** Without an address, a job obeys the App that its dispatch names, and gives it the agent's work. */
export function examinePinnedDesk({ jobs }: WorkflowFile): Finding[] {
  const desks = jobs
    .flatMap(({ steps }) => steps)
    .filter(({ uses }) => findActionReferences({ uses: uses ? [uses] : [] }).length > 0)
    .map(({ desk }) => desk);
  const [first] = desks;
  if (desks.length === 0) return [];
  const check = 'desk';
  const remedy = `Give the action's steps in ${WORKFLOW_PATH} \`desk\` under \`with\`, or let \`autobuild init --desk\` do it.`;
  if (new Set(desks).size > 1) return [problem(check, 'The jobs name different Apps as `desk`.', remedy)];
  return first === undefined
    ? [hint(check, 'No App is pinned: a job obeys the one that its dispatch names.', remedy)]
    : [ok(check, `The jobs obey the App at ${first} alone.`)];
}
