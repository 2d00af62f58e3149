import { createEmulator, type Emulator } from 'emulate';
import { LATER_PERMISSIONS, NEEDED_EVENTS, NEEDED_PERMISSIONS } from '../../core/app-manifest.ts';
import { SUBSCRIBED_EVENTS } from '../../core/ports/webhook-events.ts';
import { findFreePort } from '../free-port.ts';
import type { Json } from './gap.ts';

export const APP_ID = 4711;
export const APP_SLUG = 'autobuild';
export const INSTALLATION_ID = 100;
const PERMISSIONS = { ...NEEDED_PERMISSIONS, ...LATER_PERMISSIONS };

/** The App as GitHub shows it on what it wrote. */
export function describeApp(url: string, owner: Json): Json {
  return {
    id: APP_ID,
    slug: APP_SLUG,
    node_id: 'A_4711',
    client_id: 'Iv1.sandbox',
    name: 'Autobuild',
    description: 'The sandbox’s own App',
    owner,
    external_url: url,
    html_url: `${url}/apps/${APP_SLUG}`,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    permissions: PERMISSIONS,
    events: [...SUBSCRIBED_EVENTS],
  };
}

export async function startEmulator(options: {
  url: string;
  owner: string;
  name: string;
  people: string[];
  tokens: ReadonlyMap<string, string>;
  webhookSecret: string;
}): Promise<Emulator & { port: number }> {
  const { url, owner, name, people, tokens, webhookSecret } = options;
  // emulate does not report a port it chose itself, so one is chosen here.
  const port = await findFreePort();
  const emulator = await createEmulator({
    service: 'github',
    port,
    baseUrl: url,
    seed: {
      tokens: Object.fromEntries([...tokens].map(([token, login]) => [token, { login, scopes: ['repo'] }])),
      github: {
        users: people.map((login) => ({ login })),
        repos: [{ owner, name, auto_init: true }],
        apps: [
          {
            app_id: APP_ID,
            slug: APP_SLUG,
            name: 'Autobuild',
            permissions: PERMISSIONS,
            // Those that the server drops would only be sent in vain.
            events: [...NEEDED_EVENTS],
            webhook_url: `${url}/_webhooks`,
            webhook_secret: webhookSecret,
            installations: [{ installation_id: INSTALLATION_ID, account: owner }],
          },
        ],
      },
    },
  });
  return Object.assign(emulator, { port });
}
