/**
 * The webhooks that `app.yml` subscribes to, with the actions that have a handler in `src/app/app.ts`. Ingest acknowledges and drops
 * all others.
 */
export const WEBHOOK_EVENTS = {
  issues: ['labeled', 'unlabeled', 'closed', 'deleted', 'transferred', 'locked'],
  issue_comment: ['created', 'edited', 'deleted'],
  pull_request: ['closed', 'reopened', 'edited', 'labeled'],
  pull_request_review: ['submitted', 'edited', 'dismissed'],
  pull_request_review_comment: ['created', 'edited', 'deleted'],
  label: ['deleted', 'edited'],
  workflow_run: ['completed'],
  // CI on the head of a run.
  check_run: ['completed'],
  check_suite: ['completed'],
  // This event has no action.
  status: [''],
  // Threads that a reviewer resolves.
  pull_request_review_thread: ['resolved', 'unresolved'],
  // Commits on the base, with which a pull request may conflict. This event has no action, too.
  push: [''],
  installation: ['created', 'deleted', 'suspend', 'unsuspend', 'new_permissions_accepted'],
  installation_repositories: ['added', 'removed'],
} as const satisfies Record<string, readonly string[]>;

/** GitHub sends these to every App. A manifest that lists them is refused. */
const ALWAYS_SENT: ReadonlySet<string> = new Set(['installation', 'installation_repositories']);

/** The events of the App's manifest. */
export const SUBSCRIBED_EVENTS: readonly string[] = Object.keys(WEBHOOK_EVENTS).filter(
  (event) => !ALWAYS_SENT.has(event),
);
