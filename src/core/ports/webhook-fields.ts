import type { WEBHOOK_EVENTS } from './webhook-events.ts';

/** The fields to keep of a value: all of a simple value, or some of an object, or these of each object in a list. */
interface Fields {
  readonly [name: string]: true | Fields;
}

const ID = { id: true } as const;
const COMMON = {
  action: true,
  installation: ID,
  repository: { id: true, name: true, owner: { login: true } },
  sender: { login: true, type: true },
} as const;
const LABEL = { name: true } as const;
/** The branch decides the lane. */
const PULL_REQUEST = { number: true, head: { ref: true, repo: ID } } as const;

/**
 * The fields of each webhook that are stored: those that handlers, lanes and Probot read. A handler that reads another one does
 * not compile.
 */
export const WEBHOOK_FIELDS = {
  issues: {
    ...COMMON,
    issue: { number: true, title: true, body: true, updated_at: true, closed_at: true },
    label: LABEL,
  },
  issue_comment: {
    ...COMMON,
    issue: { number: true, pull_request: { url: true } },
    comment: {
      id: true,
      node_id: true,
      body: true,
      created_at: true,
      updated_at: true,
      user: { login: true, type: true },
      performed_via_github_app: ID,
    },
    changes: { body: { from: true } },
  },
  pull_request: {
    ...COMMON,
    pull_request: { ...PULL_REQUEST, body: true, merged: true, updated_at: true },
    label: LABEL,
    changes: { body: { from: true } },
  },
  pull_request_review: {
    ...COMMON,
    pull_request: PULL_REQUEST,
    review: { id: true, node_id: true, body: true, state: true, html_url: true, submitted_at: true },
  },
  pull_request_review_comment: {
    ...COMMON,
    pull_request: PULL_REQUEST,
    comment: { id: true, body: true, updated_at: true },
  },
  label: { ...COMMON, label: LABEL, changes: { name: { from: true } } },
  workflow_run: {
    ...COMMON,
    workflow_run: { id: true, run_attempt: true, conclusion: true, updated_at: true },
  },
  pull_request_review_thread: { ...COMMON, pull_request: PULL_REQUEST },
  push: { ...COMMON, ref: true },
  check_run: { ...COMMON, check_run: { head_sha: true, check_suite: { head_branch: true } } },
  check_suite: { ...COMMON, check_suite: { head_sha: true, head_branch: true } },
  status: { ...COMMON, sha: true, branches: { name: true } },
  installation: COMMON,
  installation_repositories: { ...COMMON, repositories_removed: ID },
} as const satisfies Record<keyof typeof WEBHOOK_EVENTS, Fields>;

/** A payload with its kept fields only. */
export type Kept<Value, Of> = Of extends true
  ? Value
  : Value extends readonly (infer Item)[]
    ? Kept<Item, Of>[]
    : Value extends object
      ? {
          [Name in keyof Value as Name extends keyof Of ? Name : never]: Kept<
            Value[Name],
            Of[Name & keyof Of]
          >;
        }
      : Value;

/** Fields that are absent or not of the expected kind are left out. */
export function keepFields(value: object, fields: Fields): object {
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    const found: unknown = (value as Record<string, unknown>)[name];
    const inner = fields[name];
    if (found === null || typeof found !== 'object') {
      if (found !== undefined) kept[name] = found;
    } else if (inner !== true && inner !== undefined) {
      kept[name] = Array.isArray(found)
        ? found.map((item) => keepFields(Object(item), inner))
        : keepFields(found, inner);
    }
  }
  return kept;
}
