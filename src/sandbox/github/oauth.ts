import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, describeAccount, type Json, refuse, type Upstream } from './gap.ts';

export const OAUTH_CLIENT = { clientId: 'Iv1.sandbox', clientSecret: randomBytes(20).toString('hex') };

interface Code {
  login: string;
  redirect: string;
  challenge: string | null;
}

interface OAuth {
  /** `/login/oauth/…`: signs the person in who uses the stand-in, without a question. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL, body: unknown): boolean;
  loginOf(token: string): string | undefined;
}

/** GitHub's sign-in for Apps, with PKCE. */
export function createOAuth(
  personOf: (request: IncomingMessage) => string,
  hash: (text: string) => string,
): OAuth {
  const codes = new Map<string, Code>();
  const tokens = new Map<string, string>();
  const sendJson = (response: ServerResponse, body: unknown) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  return {
    loginOf: (token) => tokens.get(token),
    handle(request, response, url, body) {
      if (url.pathname === '/login/oauth/authorize') {
        const redirect = url.searchParams.get('redirect_uri') ?? '';
        const isKnown = url.searchParams.get('client_id') === OAUTH_CLIENT.clientId;
        if (!isKnown || !/^http:\/\/127\.0\.0\.1:\d+\//.test(redirect)) {
          response.writeHead(404).end();
          return true;
        }
        const code = randomBytes(12).toString('hex');
        codes.set(code, {
          login: personOf(request),
          redirect,
          challenge: url.searchParams.get('code_challenge'),
        });
        const to = new URL(redirect);
        to.searchParams.set('code', code);
        to.searchParams.set('state', url.searchParams.get('state') ?? '');
        response.writeHead(302, { location: to.href }).end();
        return true;
      }
      if (url.pathname !== '/login/oauth/access_token' || request.method !== 'POST') return false;
      const given = (body ?? {}) as Record<string, string>;
      const code = codes.get(given.code ?? '');
      // A code works once.
      codes.delete(given.code ?? '');
      const isOurs =
        given.client_id === OAUTH_CLIENT.clientId && given.client_secret === OAUTH_CLIENT.clientSecret;
      const isSame =
        code?.redirect === given.redirect_uri && (code?.challenge ?? '') === hash(given.code_verifier ?? '');
      if (!code || !isOurs || !isSame) {
        sendJson(response, { error: 'bad_verification_code' });
        return true;
      }
      const token = `ghu_${randomBytes(18).toString('hex')}`;
      tokens.set(token, code.login);
      sendJson(response, { access_token: token, token_type: 'bearer', scope: '' });
      return true;
    },
  };
}

/** The calls that need a user token of the App, or its client's secret. */
export async function answerSignIn(
  oauth: OAuth,
  { method, headers }: IncomingMessage,
  pathname: string,
  body: Json,
  upstream: Upstream,
): Promise<Answer | undefined> {
  const path = pathname.replace(/^\/api\/v3(?=\/)/, '');
  if (path === '/user') {
    const login = oauth.loginOf(headers.authorization?.replace(/^\S+\s+/, '') ?? '');
    return login === undefined ? undefined : { status: 200, body: await describeAccount(upstream, login) };
  }
  const { clientId, clientSecret } = OAUTH_CLIENT;
  if (method !== 'POST' || path !== `/applications/${clientId}/token`) return undefined;
  if (headers.authorization !== `Basic ${btoa(`${clientId}:${clientSecret}`)}`)
    return refuse(401, 'Bad credentials');
  const login = oauth.loginOf(String(body.access_token));
  return login === undefined
    ? refuse(404, 'Not Found')
    : { status: 200, body: { app: { client_id: clientId }, user: await describeAccount(upstream, login) } };
}
