import type { Json } from '../github/gap.ts';
import type { WorkflowFile } from './workflow-file.ts';

/** One event as workflows see it. */
export interface WorkflowEvent {
  name: string;
  payload: Json;
  /** Where the workflow file is read: the default branch, or the pull request itself. */
  fileFrom: 'default branch' | 'pull request';
}

const ACTORS_OF_TOKENS = 'github-actions[bot]';
/** Actions of a pull request that start a workflow which names none. */
const PULL_REQUEST_TYPES = ['opened', 'synchronize', 'reopened'];
const FROM_PULL_REQUEST = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];

/** A webhook's events for workflows. Those of a pull request are two: by the file of its base, and by its own. */
export function eventsOf(webhook: string, payload: Json): WorkflowEvent[] {
  const names = webhook === 'pull_request' ? ['pull_request_target', 'pull_request'] : [webhook];
  // Workflows get no installation: that is for the App.
  const { installation: _, ...rest } = payload;
  return names.map((name) => ({
    name,
    payload: rest,
    fileFrom: FROM_PULL_REQUEST.includes(name) ? 'pull request' : 'default branch',
  }));
}

export function isTriggered({ on }: WorkflowFile, { name, payload }: WorkflowEvent): boolean {
  const trigger = on[name];
  if (!trigger) return false;
  const isPullRequest = name === 'pull_request' || name === 'pull_request_target';
  const types = trigger.types ?? (isPullRequest ? PULL_REQUEST_TYPES : undefined);
  return types === undefined || types.includes(String(payload.action));
}

/**
 * Events that a job's token caused start nothing, because workflows would start each other for ever. Pull requests are
 * the exception: their checks wait for a person who approves them.
 */
export function startOf({ name, payload }: WorkflowEvent): 'now' | 'after approval' | 'never' {
  const { sender } = payload as { sender?: { login?: string } };
  if (sender?.login !== ACTORS_OF_TOKENS) return 'now';
  if (name === 'workflow_dispatch' || name === 'repository_dispatch') return 'now';
  return name === 'pull_request' && PULL_REQUEST_TYPES.includes(String(payload.action))
    ? 'after approval'
    : 'never';
}

/** A pull request's own file, from a fork: it gets no secrets, and its token only reads. */
export function isFromFork({ fileFrom, payload }: WorkflowEvent): boolean {
  if (fileFrom === 'default branch') return false;
  const { pull_request, repository } = payload as {
    pull_request?: { head?: { repo?: { full_name?: string } | null } };
    repository?: { full_name?: string };
  };
  return pull_request?.head?.repo?.full_name !== repository?.full_name;
}
