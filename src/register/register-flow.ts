import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { appManifest } from '../core/app-manifest.ts';
import type { RegisteredApp } from '../github/set-up/convert-manifest.ts';
import { type GitHubHost, registerAddress } from './register-address.ts';
import { escapeHtml, renderPage, renderRegisterPage } from './register-page.ts';

export interface RegisterFlowOptions {
  github: GitHubHost;
  name: string;
  publicUrl: string;
  /** The address of the flow's first page, without a trailing slash. The path is secret if others can reach it. */
  pageUrl: string;
  convert(code: string): Promise<RegisteredApp>;
  /** Keeps the credentials. Called once, before GitHub's answer is shown. */
  save(app: RegisteredApp): Promise<void> | void;
}

interface RegisterFlow {
  /** False if the request is for none of the flow's two pages. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** The App, or the reason why there is none. */
  readonly registered: Promise<RegisteredApp>;
}

/** Two pages: a form that sends the manifest to GitHub, and the page that GitHub leads back to with a code. */
export function createRegisterFlow(options: RegisterFlowOptions): RegisterFlow {
  const { github, name, publicUrl, pageUrl, convert, save } = options;
  const page = new URL(pageUrl);
  const callback = `${page.pathname}/registered`;
  const state = randomBytes(24).toString('base64url');
  const action = registerAddress(github, state);
  const manifest = appManifest({ name, publicUrl, redirectUrl: `${page.origin}${callback}` });
  let isUsed = false;
  const { promise: registered, resolve, reject } = Promise.withResolvers<RegisteredApp>();
  // The caller may come to wait for it only later.
  registered.catch(() => undefined);

  const finish = async (code: string, response: ServerResponse): Promise<void> => {
    isUsed = true;
    try {
      const app = await convert(code);
      await save(app);
      const install = `${app.url}/installations/new`;
      const html = `<p><b>${escapeHtml(app.name)}</b> is registered, and its credentials are saved.</p><p>Next: <a href="${escapeHtml(install)}">install it</a> in the repositories that shall use it.</p>`;
      answer(response, 200, renderPage('Registered', html), action);
      resolve(app);
    } catch (error) {
      const html = '<p>The reason is where Autobuild was started.</p>';
      answer(response, 502, renderPage('Not registered', html), action);
      reject(error);
    }
  };

  return {
    registered,
    async handle(request, response) {
      const { pathname, searchParams } = new URL(request.url ?? '/', page.origin);
      if (pathname !== page.pathname && pathname !== callback) return false;
      // Other sites must not reach these pages by a name that leads to this machine.
      if (request.headers.host !== page.host || request.method !== 'GET') {
        answer(
          response,
          400,
          renderPage('Not here', '<p>Open the address that Autobuild printed.</p>'),
          action,
        );
        return true;
      }
      if (isUsed) {
        answer(response, 410, renderPage('Done', '<p>This address has been used.</p>'), action);
        return true;
      }
      if (pathname === page.pathname) {
        answer(response, 200, renderRegisterPage({ action, manifest, name }), action);
        return true;
      }
      const code = searchParams.get('code') ?? '';
      if (!isSame(searchParams.get('state') ?? '', state) || !/^[\w-]{1,100}$/.test(code)) {
        const html = `<p>This answer does not belong to this registration. <a href="${escapeHtml(page.pathname)}">Begin again</a>.</p>`;
        answer(response, 400, renderPage('Not registered', html), action);
        return true;
      }
      await finish(code, response);
      return true;
    },
  };
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function answer(response: ServerResponse, status: number, html: string, action: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${new URL(action).origin}; base-uri 'none'; frame-ancestors 'none'`,
    connection: 'close',
  });
  response.end(html);
}
