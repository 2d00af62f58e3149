import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleText } from './handle-text.ts';

interface Reviewed {
  review: { id: number; node_id: string; body: string };
  login: string;
  repo_id: number;
  /** The number of the pull request. */
  number: number;
  /** True if reconcile found it, not a webhook. */
  foundLate?: boolean;
}

/** Handles commands in a review's summary. The verdict changes nothing, because only a merge or a close does. */
export async function onReviewSubmitted(
  deps: AppDependencies,
  github: GitHub,
  reviewed: Reviewed,
): Promise<void> {
  const { review, login, repo_id, number } = reviewed;
  await handleText(deps, github, {
    run: await deps.store.publications.ofPull(repo_id, number),
    text: review.body,
    source: `review:${review.id}`,
    late: reviewed.foundLate ? review : undefined,
    issue: number,
    login,
    review: { node_id: review.node_id },
  });
}
