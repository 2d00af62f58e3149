import { issueOfBranch } from '../core/our-branch.ts';

interface LanePayload {
  repository?: { id?: unknown };
  issue?: { number?: unknown };
  pull_request?: { number?: unknown; head?: { ref?: unknown; repo?: { id?: unknown } | null } };
}

/**
 * Deliveries of one lane are handled in order, and one that fails holds up the rest of its lane. An issue and its pull request share
 * a lane; what is about neither shares that of its repository, or of its installation.
 */
export function laneOf(payload: unknown): string {
  const { repository, issue, pull_request } = (payload ?? {}) as LanePayload;
  if (!isWhole(repository?.id)) return `app#${installationOf(payload) ?? ''}`;
  if (isWhole(issue?.number)) return `${repository.id}#${issue.number}`;
  const ofCi = branchesOfCi(payload).map(issueOfBranch).find(isWhole);
  if (ofCi !== undefined) return `${repository.id}#${ofCi}`;
  // Only a branch of the repository itself can be ours, because a fork may use the same name.
  const isOwn = isWhole(pull_request?.number) && pull_request.head?.repo?.id === repository.id;
  const ours = isOwn ? issueOfBranch(String(pull_request.head?.ref)) : undefined;
  return `${repository.id}#${ours ?? ''}`;
}

/** The App's installation that a delivery is about. */
export function installationOf(payload: unknown): number | undefined {
  const { installation } = (payload ?? {}) as { installation?: { id?: unknown } | null };
  return isWhole(installation?.id) ? installation.id : undefined;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

const CI_EVENTS: ReadonlySet<string> = new Set(['check_run', 'check_suite', 'status']);

/** V-7: CI on a branch that is not ours. A busy repository sends thousands of these, so they are not stored. */
export function isOthersCi(event: string, payload: unknown): boolean {
  return CI_EVENTS.has(event) && !branchesOfCi(payload).some((branch) => issueOfBranch(branch) !== undefined);
}

/** V-6: only the default branch is a base. Every other push is dropped, for the same reason. */
export function isOthersPush(event: string, payload: unknown): boolean {
  const { ref, repository } = (payload ?? {}) as { ref?: unknown; repository?: { default_branch?: unknown } };
  return event === 'push' && ref !== `refs/heads/${repository?.default_branch}`;
}

interface CiPayload {
  check_run?: { check_suite?: { head_branch?: unknown } | null };
  check_suite?: { head_branch?: unknown };
  branches?: unknown;
}

function branchesOfCi(payload: unknown): string[] {
  const { check_run, check_suite, branches } = (payload ?? {}) as CiPayload;
  const named = Array.isArray(branches) ? branches.map((branch) => Object(branch).name) : [];
  const found = [check_run?.check_suite?.head_branch, check_suite?.head_branch, ...named];
  return found.filter((branch) => typeof branch === 'string');
}
