export interface GitHubHost {
  /** `github.com`, or the host of GitHub Enterprise Server. */
  host: string;
  /** The App belongs to this organisation instead of the person who registers it. */
  org?: string;
  /** `http` for a GitHub on this machine. */
  protocol?: 'http' | 'https';
}

/** The page that takes a manifest: https://docs.github.com/apps, "Registering a GitHub App from a manifest". */
export function registerAddress({ host, org, protocol = 'https' }: GitHubHost, state: string): string {
  const owner = org === undefined ? '' : `/organizations/${encodeURIComponent(org)}`;
  return `${protocol}://${host}${owner}/settings/apps/new?state=${encodeURIComponent(state)}`;
}

export function apiAddress({ host, protocol = 'https' }: GitHubHost): string {
  return host === 'github.com' ? 'https://api.github.com' : `${protocol}://${host}/api/v3`;
}
