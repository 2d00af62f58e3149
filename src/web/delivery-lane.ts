/** Our branches: `autobuild/issue-N`, or `autobuild/issue-N-RUN` if others work on that one. */
const OUR_BRANCH = /^autobuild\/issue-([1-9]\d{0,9})(?:-[\w-]{1,60})?$/;

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
  const ours = head?.repo?.id === repository.id ? OUR_BRANCH.exec(String(head?.ref)) : null;
  return ours ? `${repository.id}#${ours[1]}` : 'app';
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
