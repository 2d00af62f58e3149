import type { GitHubSignIn } from '../core/ports/github-sign-in.ts';

interface OAuthClient {
  clientId: string;
  clientSecret: string;
  /** The URL of GitHub's web pages, without a trailing slash. */
  webUrl: string;
  apiUrl: string;
  fetch: typeof fetch;
}

/** Signing in by the App's own OAuth client, with PKCE. */
export function createGitHubSignIn({
  clientId,
  clientSecret,
  webUrl,
  apiUrl,
  fetch,
}: OAuthClient): GitHubSignIn {
  const json = { accept: 'application/json', 'content-type': 'application/json' };
  return {
    authorizeUrl({ state, challenge, redirect }) {
      const url = new URL(`${webUrl}/login/oauth/authorize`);
      const parts = {
        client_id: clientId,
        redirect_uri: redirect,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        allow_signup: 'false',
      };
      for (const [name, value] of Object.entries(parts)) url.searchParams.set(name, value);
      return url.href;
    },
    async exchange({ code, verifier, redirect }) {
      const response = await fetch(`${webUrl}/login/oauth/access_token`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({
          client_id: clientId,
          client_secret: clientSecret,
          code,
          redirect_uri: redirect,
          code_verifier: verifier,
        }),
      });
      // GitHub answers a bad code with 200 and an `error`.
      const { access_token } = (await readJson(response)) as { access_token?: unknown };
      if (typeof access_token !== 'string') return undefined;
      const person = await fetch(`${apiUrl}/user`, {
        headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${access_token}` },
      });
      return person.ok ? loginOf(await readJson(person)) : undefined;
    },
    async checkToken(token) {
      const response = await fetch(`${apiUrl}/applications/${encodeURIComponent(clientId)}/token`, {
        method: 'POST',
        headers: {
          ...json,
          accept: 'application/vnd.github+json',
          authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
        },
        body: JSON.stringify({ access_token: token }),
      });
      if (response.status >= 500) throw new Error(`GitHub cannot check a token now: ${response.status}.`);
      if (!response.ok) return undefined;
      const { user } = (await readJson(response)) as { user?: unknown };
      return loginOf(user);
    },
  };
}

async function readJson(response: Response): Promise<unknown> {
  return response.json().catch(() => ({}));
}

function loginOf(person: unknown): string | undefined {
  const login = (person as { login?: unknown } | undefined)?.login;
  return typeof login === 'string' ? login : undefined;
}
