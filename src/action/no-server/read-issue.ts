import { ActionError } from '../action-error.ts';

/** The directory that becomes the artifact of a build, below RUNNER_TEMP. */
export const WORK = 'autobuild-work';

export function readIssue({ INPUT_ISSUE }: Readonly<Record<string, string | undefined>>): number {
  if (INPUT_ISSUE && /^[1-9]\d{0,14}$/.test(INPUT_ISSUE)) return Number(INPUT_ISSUE);
  throw new ActionError('The number of the issue is missing.', 'Keep the workflow as it came.');
}
