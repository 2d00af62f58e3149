import { WORKFLOW_PATH } from '../../core/config-path.ts';
import type { WorkflowFile } from '../workflow-file.ts';
import { type Finding, hint } from './doctor-finding.ts';
import { findActionReferences } from './doctor-workflow.ts';

const NAMED_AT_MOST = 5;
/** A commit, or the digest of an image. */
const PINNED = /@(?:[0-9a-f]{40}|sha256:[0-9a-f]{64})$/;

/** The references that whoever owns the action can move. Actions of the repository itself are read with its commit. */
export function findUnpinned(uses: readonly string[]): string[] {
  return [...new Set(uses.filter((text) => !text.startsWith('./') && !PINNED.test(text)))];
}

/** Other actions run beside the agent's keys. The version of our own one is a check of its own. */
export function examinePins(workflow: WorkflowFile): Finding[] {
  const own = findActionReferences(workflow);
  const others = workflow.uses.filter(
    (text) => !own.some(({ action, ref }) => text.startsWith(action) && text.endsWith(`@${ref}`)),
  );
  const loose = findUnpinned(others);
  if (loose.length === 0) return [];
  const rest = loose.length - NAMED_AT_MOST;
  const names = `${loose.slice(0, NAMED_AT_MOST).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return [
    hint(
      'pins',
      `${WORKFLOW_PATH} uses ${names}, which may change under you: they run in the job that has the agent's keys.`,
      'Name a commit behind the @, with the version as a comment.',
    ),
  ];
}
