import { createJsonPicker } from './pick-json.ts';

/** Branches we make: `autobuild/issue-N`, and `autobuild/issue-N-RUN` where others work on that one. */
const OUR_BRANCH = /^autobuild\/issue-([1-9]\d{0,9})(?:-[\w-]{1,60})?$/;

/** All that is needed of a payload, which may be long, before it is answered. */
export const pickLaneFields = createJsonPicker({
  repository: { id: true },
  issue: { number: true },
  pull_request: { number: true, head: { ref: true, repo: { id: true } } },
});

interface LanePayload {
  repository?: { id?: unknown };
  issue?: { number?: unknown };
  pull_request?: { number?: unknown; head?: { ref?: unknown; repo?: { id?: unknown } | null } };
}

/** Deliveries of one lane are handled in order: those of an issue, and those of the pull request we made for it. */
export function laneOf(payload: unknown): string {
  const { repository, issue, pull_request } = (payload ?? {}) as LanePayload;
  if (!isWhole(repository?.id)) return 'app';
  if (isWhole(issue?.number)) return `${repository.id}#${issue.number}`;
  if (!isWhole(pull_request?.number)) return 'app';
  const head = pull_request.head;
  // A fork may use the same branch name: only a branch of the repository itself can be ours.
  const ours = head?.repo?.id === repository.id ? OUR_BRANCH.exec(String(head?.ref)) : null;
  return ours ? `${repository.id}#${ours[1]}` : 'app';
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
