import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { createSite } from './browser/site.ts';
import type { createAppManifests } from './github/app-manifests.ts';
import { type Answer, type Call, type Caller, type Json, refuse, type Upstream } from './github/gap.ts';
import type { createGraphql } from './github/graphql.ts';
import { answerSignIn, type createOAuth } from './github/oauth.ts';
import { readText } from './serve-http.ts';

interface HandlerOptions {
  url: string;
  site?: ReturnType<typeof createSite>;
  manifests: ReturnType<typeof createAppManifests>;
  oauth: ReturnType<typeof createOAuth>;
  upstream: Upstream;
  graphql: ReturnType<typeof createGraphql>;
  /** A job's log, at a signed address that needs no token. */
  logAt(path: string): string | undefined;
  callerOf(authorization: string): Caller | undefined;
  /** The caller is a job without power. */
  isKilled(authorization: string): boolean;
  answerCall(call: Call, authorization: string): Promise<Answer>;
  receiveWebhook(event: string, payload: Json): Promise<void>;
  interfere(call: Call): Answer | undefined;
  onExchange(exchange: { call: Call; answer: Answer }): void;
}

/** One request to the local GitHub: a page, a form, a sign-in, a webhook of emulate's, or a call of the API. */
export function createRequestHandler(
  options: HandlerOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { url, site, manifests, oauth, graphql, answerCall, isKilled } = options;

  async function answerApi(call: Call, authorization: string): Promise<Answer> {
    if (call.path !== '/api/graphql') return answerCall(call, authorization);
    return graphql(call, (method, path, sent) =>
      answerCall(
        { ...call, method, path, query: new URLSearchParams(), body: (sent ?? {}) as Json },
        authorization,
      ),
    );
  }

  return async (request, response) => {
    const asked = new URL(request.url ?? '/', url);
    const { pathname, searchParams } = asked;
    const isPage = !/^\/(?:api|login|_webhooks)(?:\/|$)/.test(pathname);
    if (site && isPage && (await site(request, response, pathname))) return;
    const log = options.logAt(pathname);
    if (log !== undefined) {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(log);
      return;
    }
    const text = await readText(request);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const page = isForm && manifests.openPage(pathname, searchParams, new URLSearchParams(text));
    if (page) {
      response.writeHead(page.status, page.headers).end(page.body && JSON.stringify(page.body));
      return;
    }
    const body = text === '' ? {} : (JSON.parse(text) as Json);
    if (oauth.handle(request, response, asked, body)) return;
    const signedIn = await answerSignIn(oauth, request, pathname, body, options.upstream);
    if (signedIn) {
      response.writeHead(signedIn.status, { 'content-type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(signedIn.body));
      return;
    }
    if (pathname === '/_webhooks') {
      // Who only asks whether all have arrived sends none.
      if (request.method === 'POST')
        await options.receiveWebhook(String(request.headers['x-github-event']), body);
      response.writeHead(204).end();
      return;
    }
    const { authorization = '' } = request.headers;
    if (isKilled(authorization)) return void request.socket.destroy();
    const path = pathname.replace(/^\/api\/v3(?=\/)/, '');
    // The code of a manifest is a credential of the App itself.
    const isConversion = path.startsWith('/app-manifests/');
    const caller = options.callerOf(authorization) ?? (isConversion ? { kind: 'app' as const } : undefined);
    const call = { method: request.method ?? 'GET', path, query: searchParams, body, caller } as Call;
    const replaced = caller ? options.interfere(call) : refuse(401, 'Bad credentials');
    // Who interferes may kill the caller: before this call is done here, or after it was done below.
    if (isKilled(authorization)) return void request.socket.destroy();
    const answer = answerIfChanged(request, replaced ?? (await answerApi(call, authorization)));
    options.onExchange({ call, answer });
    if (isKilled(authorization)) return void request.socket.destroy();
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      ...answer.headers,
    });
    response.end(
      answer.body === undefined || answer.status === 204 ? undefined : JSON.stringify(answer.body),
    );
  };
}

/** emulate knows no ETags. GitHub's differ by token, too. */
function answerIfChanged({ method, headers }: IncomingMessage, answer: Answer): Answer {
  if (method !== 'GET' || answer.status !== 200) return answer;
  const content = `${headers.authorization}\n${JSON.stringify(answer.body)}`;
  const etag = `W/"${createHash('sha256').update(content).digest('hex')}"`;
  if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
  return { ...answer, headers: { ...answer.headers, etag } };
}
