import type { GitHub } from '../core/ports/github-port.ts';
import { createBaseTreeMethods } from './base-tree.ts';
import { createCheckRunMethods } from './check-run.ts';
import { createCiMethods } from './ci/ci-status.ts';
import { createClient, type OctokitLike, type Repository } from './client/client.ts';
import { createCommentHistoryMethods } from './comment-history.ts';
import { createCommentMethods } from './comments.ts';
import { createCommitMethods } from './commit.ts';
import { createDispatchMethods } from './dispatch.ts';
import { createIssueMethods } from './issues.ts';
import { createLabelMethods } from './labels.ts';
import { createMergeMethods } from './merge.ts';
import { createPermissionMethods } from './permission.ts';
import { createPullRequestMethods } from './pull-request.ts';
import { createRepositoryMethods } from './repository.ts';
import { createReviewMethods } from './review.ts';
import { createWorkflowRunMethods } from './workflow-runs.ts';

/** The API for one repository, with an Octokit that is authenticated for it. */
export function createGitHub(octokit: OctokitLike, repository: Repository): GitHub {
  const client = createClient(octokit, repository);
  return {
    owner: repository.owner,
    repo: repository.repo,
    ...createPermissionMethods(client),
    ...createIssueMethods(client),
    ...createCommentMethods(client),
    ...createCommentHistoryMethods(client),
    ...createLabelMethods(client),
    ...createRepositoryMethods(client),
    ...createDispatchMethods(client),
    ...createWorkflowRunMethods(client),
    ...createBaseTreeMethods(client),
    ...createCommitMethods(client),
    ...createPullRequestMethods(client),
    ...createReviewMethods(client),
    ...createCheckRunMethods(client),
    ...createCiMethods(client),
    ...createMergeMethods(client),
  };
}
