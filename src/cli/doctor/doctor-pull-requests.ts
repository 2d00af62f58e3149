import type { RepositorySetUp } from '../../github/set-up/repository-set-up.ts';
import { type Finding, hint, ok, unknown } from './doctor-finding.ts';

const SETTING = '"Allow GitHub Actions to create and approve pull requests"';
const PLACE = 'in the settings, under Actions → General → Workflow permissions';

/** A repository without an App opens its pull requests as GitHub Actions, which a setting may forbid. */
export async function examinePullRequests(
  { mayActionsOpenPullRequests }: Pick<RepositorySetUp, 'mayActionsOpenPullRequests'>,
  repository: string,
): Promise<Finding> {
  const check = 'pull requests';
  const allowed = await mayActionsOpenPullRequests();
  if (allowed) return ok(check, 'GitHub Actions may open pull requests.');
  if (allowed === undefined)
    return unknown(
      check,
      'Whether GitHub Actions may open pull requests cannot be seen.',
      `Look with a token of an admin, or see that ${SETTING} is on ${PLACE}.`,
    );
  const command = `gh api -X PUT repos/${repository}/actions/permissions/workflow -F can_approve_pull_request_reviews=true`;
  return hint(
    check,
    `${SETTING} is off, so runs end with a link for you to open the pull request.`,
    `Switch it on ${PLACE}, or: ${command}`,
  );
}
