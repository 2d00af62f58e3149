/**
 * The webhooks that have a handler, by event and action. Ingest drops all others, `app.yml` subscribes to them, and
 * `src/app/app.ts` handles each.
 */
export const WEBHOOK_EVENTS = {
  issues: ['labeled', 'unlabeled', 'closed', 'deleted', 'transferred', 'locked'],
  issue_comment: ['created', 'edited'],
  pull_request: ['closed', 'reopened', 'edited', 'labeled'],
  pull_request_review: ['submitted'],
  pull_request_review_comment: ['created'],
  label: ['deleted', 'edited'],
  workflow_run: ['completed'],
  installation: ['created', 'deleted', 'suspend', 'unsuspend', 'new_permissions_accepted'],
  installation_repositories: ['added', 'removed'],
} as const satisfies Record<string, readonly string[]>;

/** GitHub sends these to every App. A manifest that lists them is refused. */
const ALWAYS_SENT: ReadonlySet<string> = new Set(['installation', 'installation_repositories']);

/** The events of the App's manifest. */
export const SUBSCRIBED_EVENTS: readonly string[] = Object.keys(WEBHOOK_EVENTS).filter(
  (event) => !ALWAYS_SENT.has(event),
);
