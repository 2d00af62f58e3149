import { randomBytes } from 'node:crypto';
import type { RegisteredApp } from '../github/set-up/convert-manifest.ts';
import type { EnvValues } from './env-file.ts';
import type { GitHubHost } from './register-address.ts';

/** The names that a registration gives new values to. */
export const CREDENTIALS = [
  'APP_ID',
  'PRIVATE_KEY',
  'WEBHOOK_SECRET',
  'GITHUB_CLIENT_ID',
  'GITHUB_CLIENT_SECRET',
] as const;

const KEY_BYTES = 32;

/** The environment that the server reads. Keys that seal a store already are kept, because nothing could open it without. */
export function environmentOf(app: RegisteredApp, publicUrl: string, github: GitHubHost): EnvValues {
  const { host, protocol } = github;
  return {
    set: {
      APP_ID: String(app.id),
      PRIVATE_KEY: app.privateKey,
      WEBHOOK_SECRET: app.webhookSecret,
      GITHUB_CLIENT_ID: app.clientId,
      GITHUB_CLIENT_SECRET: app.clientSecret,
      PUBLIC_URL: publicUrl,
      ...(host === 'github.com' ? {} : { GHE_HOST: host }),
      ...(protocol === 'http' ? { GHE_PROTOCOL: protocol } : {}),
    },
    defaults: [
      { names: ['AUTOBUILD_KEYS'], value: randomBytes(KEY_BYTES).toString('base64') },
      { names: ['AUTOBUILD_DB', 'DATABASE_URL'], value: './data/autobuild.db' },
    ],
  };
}
