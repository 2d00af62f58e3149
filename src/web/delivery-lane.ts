import { issueOfBranch } from '../core/our-branch.ts';

interface LanePayload {
  repository?: { id?: unknown };
  issue?: { number?: unknown };
  pull_request?: { number?: unknown; head?: { ref?: unknown; repo?: { id?: unknown } | null } };
}

/** Deliveries of one lane are handled in order. An issue and its pull request share a lane. */
export function laneOf(payload: unknown): string {
  const { repository, issue, pull_request } = (payload ?? {}) as LanePayload;
  if (!isWhole(repository?.id)) return 'app';
  if (isWhole(issue?.number)) return `${repository.id}#${issue.number}`;
  if (!isWhole(pull_request?.number)) return 'app';
  const head = pull_request.head;
  // Only a branch of the repository itself can be ours, because a fork may use the same name.
  const ours = head?.repo?.id === repository.id ? issueOfBranch(String(head?.ref)) : undefined;
  return ours === undefined ? 'app' : `${repository.id}#${ours}`;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
