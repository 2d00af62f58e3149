import { createSign, generateKeyPairSync } from 'node:crypto';
import { createEmulator, type Emulator } from 'emulate';
import { NEEDED_EVENTS, NEEDED_PERMISSIONS, OPTIONAL_PERMISSIONS } from '../../core/app-manifest.ts';
import { SUBSCRIBED_EVENTS } from '../../core/ports/webhook-events.ts';
import { findFreePort } from '../free-port.ts';
import type { Json } from './gap.ts';

export const APP_ID = 4711;
export const APP_SLUG = 'autobuild';
export const INSTALLATION_ID = 100;
/** The App that GitHub makes every job's token with. The number is the one of github.com. */
const ACTIONS_APP_ID = 15_368;
const ACTIONS_INSTALLATION_ID = 101;
export const ACTIONS_BOT = 'github-actions[bot]';
const PERMISSIONS = { ...NEEDED_PERMISSIONS, ...OPTIONAL_PERMISSIONS };

/** The App as GitHub shows it on what it wrote. */
export function describeApp(url: string, owner: Json): Json {
  return describe(url, owner, APP_ID, APP_SLUG, 'Autobuild');
}

/** The App that GitHub shows on everything a job wrote with its token. */
export function describeActionsApp(url: string, owner: Json): Json {
  return describe(url, owner, ACTIONS_APP_ID, 'github-actions', 'GitHub Actions');
}

function describe(url: string, owner: Json, id: number, slug: string, name: string): Json {
  return {
    id,
    slug,
    node_id: `A_${id}`,
    client_id: 'Iv1.sandbox',
    name,
    description: 'The sandbox’s own App',
    owner,
    external_url: url,
    html_url: `${url}/apps/${slug}`,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    permissions: PERMISSIONS,
    events: [...SUBSCRIBED_EVENTS],
  };
}

interface LocalEmulator extends Emulator {
  port: number;
  privateKey: string;
  /** The authorization of everything that jobs do. Their permissions are checked before it is used. */
  authorizeJobs(): Promise<string>;
}

let madeKey: string | undefined;
/** All Apps of a process share one key, because making one takes a while. */
function appKey(): string {
  madeKey ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey;
  return madeKey;
}

export async function startEmulator(options: {
  url: string;
  owner: string;
  name: string;
  people: string[];
  tokens: ReadonlyMap<string, string>;
  webhookSecret: string;
}): Promise<LocalEmulator> {
  const { url, owner, name, people, tokens, webhookSecret } = options;
  // emulate does not report a port it chose itself, so one is chosen here.
  const port = await findFreePort();
  const privateKey = appKey();
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
            private_key: privateKey,
            permissions: PERMISSIONS,
            // Those that the server drops would only be sent in vain.
            events: [...NEEDED_EVENTS],
            webhook_url: `${url}/_webhooks`,
            webhook_secret: webhookSecret,
            installations: [{ installation_id: INSTALLATION_ID, account: owner }],
          },
          {
            app_id: ACTIONS_APP_ID,
            slug: 'github-actions',
            name: 'GitHub Actions',
            private_key: privateKey,
            permissions: { ...PERMISSIONS, statuses: 'write' },
            events: [],
            installations: [{ installation_id: ACTIONS_INSTALLATION_ID, account: owner }],
          },
        ],
      },
    },
  });
  let authorization: Promise<string> | undefined;
  return Object.assign(emulator, {
    port,
    privateKey,
    authorizeJobs() {
      authorization ??= openInstallation(port, privateKey);
      return authorization;
    },
  });
}

async function openInstallation(port: number, privateKey: string): Promise<string> {
  const url = `http://127.0.0.1:${port}/app/installations/${ACTIONS_INSTALLATION_ID}/access_tokens`;
  const headers = { authorization: `Bearer ${signAppToken(privateKey)}` };
  const response = await fetch(url, { method: 'POST', headers });
  const { token } = (await response.json()) as { token?: string };
  if (!token) throw new Error(`emulate gave no token for jobs: ${response.status}`);
  return `token ${token}`;
}

function signAppToken(privateKey: string): string {
  const seconds = Math.floor(Date.now() / 1000);
  const claims = { iat: seconds - 60, exp: seconds + 540, iss: String(ACTIONS_APP_ID) };
  const encoded = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${encoded}.${createSign('RSA-SHA256').update(encoded).sign(privateKey, 'base64url')}`;
}
