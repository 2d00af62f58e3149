import { GitHubError } from '../../core/ports/github-port.ts';
import type { OctokitLike } from '../client/client.ts';
import { toGitHubError } from '../client/errors.ts';

/** The App that GitHub has made of a manifest, with everything that is secret of it. */
export interface RegisteredApp {
  id: number;
  name: string;
  /** The App's public page. */
  url: string;
  privateKey: string;
  webhookSecret: string;
  clientId: string;
  clientSecret: string;
}

/** A code works once, for an hour, without any other credentials. */
export async function convertManifest(octokit: OctokitLike, code: string): Promise<RegisteredApp> {
  const route = 'POST /app-manifests/{code}/conversions';
  const { data } = await octokit
    // Never twice: GitHub shows the key once.
    .request(route, { code, request: { retries: 0 } })
    .catch((error: unknown) => Promise.reject(toGitHubError(error, route)));
  const { id, name, html_url, pem, webhook_secret, client_id, client_secret } = data;
  if (!pem || !webhook_secret)
    throw new GitHubError('GitHub gave no private key or no webhook secret.', { status: 502 });
  return {
    id,
    name,
    url: html_url,
    privateKey: pem,
    webhookSecret: webhook_secret,
    clientId: client_id,
    clientSecret: client_secret,
  };
}
