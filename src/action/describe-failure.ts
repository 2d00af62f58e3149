import { JobOverError } from '../link/http.ts';
import { LinkRefusedError } from '../link/retry-request.ts';
import { ChangesetRefusedError } from '../runner/workspace/apply-changeset.ts';
import { ActionError } from './action-error.ts';

/** Why a step of the action failed, for its log. */
export function describeFailure(error: unknown): string {
  if (error instanceof ActionError) return `${error.message} ${error.remedy}`;
  if (error instanceof ChangesetRefusedError) return error.message;
  if (error instanceof JobOverError)
    return `The App no longer accepts this job (${error.message}) Its saved work is kept, and the run continues without it.`;
  if (error instanceof LinkRefusedError) {
    return `The App refused this job (${error.message}). Jobs are started by label only; one that was replaced ends here, and nothing is lost.`;
  }
  return `Autobuild itself failed; the work up to the last turn is saved. ${(error as Error).stack ?? error}`;
}
