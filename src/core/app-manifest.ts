import { SUBSCRIBED_EVENTS, WEBHOOK_EVENTS } from './ports/webhook-events.ts';

/** The permissions that everything of today needs. `app.yml` gives the reason of each. */
export const NEEDED_PERMISSIONS = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
} as const;

/** Without them something is not seen, and everything else works. */
export const OPTIONAL_PERMISSIONS = { statuses: 'read' } as const;

/** Needs one of these permissions. */
export const OPTIONAL_EVENTS: readonly string[] = ['status'];

/** The events that something of today needs. */
export const NEEDED_EVENTS: readonly string[] = SUBSCRIBED_EVENTS.filter(
  (event) =>
    WEBHOOK_EVENTS[event as keyof typeof WEBHOOK_EVENTS].length > 0 && !OPTIONAL_EVENTS.includes(event),
);

/** Paths of the server that the App's registration names. */
export const APP_PATHS = { webhooks: '/api/github/webhooks', callback: '/auth/callback' } as const;

interface AppAddresses {
  name: string;
  /** The server's address for GitHub and people, without a trailing slash. */
  publicUrl: string;
  /** The page that GitHub leads to after the registration, with a code to convert. */
  redirectUrl: string;
}

/** The manifest that GitHub's registration page takes: https://docs.github.com/apps, "Registering a GitHub App from a manifest". */
export function appManifest({ name, publicUrl, redirectUrl }: AppAddresses) {
  return {
    name,
    description: 'Builds labelled issues with a coding agent, and asks the moment it is objectively stuck.',
    url: publicUrl,
    hook_attributes: { url: `${publicUrl}${APP_PATHS.webhooks}`, active: true },
    redirect_url: redirectUrl,
    callback_urls: [`${publicUrl}${APP_PATHS.callback}`],
    public: false,
    default_permissions: { ...NEEDED_PERMISSIONS, ...OPTIONAL_PERMISSIONS },
    default_events: [...SUBSCRIBED_EVENTS],
  };
}
