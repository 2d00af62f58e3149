import { createJsonPicker } from './pick-json.ts';

/** Our branches: `autobuild/issue-N`, or `autobuild/issue-N-RUN` if others work on that one. */
const OUR_BRANCH = /^autobuild\/issue-([1-9]\d{0,9})(?:-[\w-]{1,60})?$/;

/** The fields of a payload that decide its lane. The rest, which may be long, is not parsed before the response. */
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
