import { createHash, randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import * as z from 'zod';
import type { GitHubSignIn } from '../../core/ports/github-sign-in.ts';
import type { Logger } from '../log.ts';
import { sendPage } from '../pages/document.ts';
import { html } from '../pages/html.ts';
import type { SessionCookies } from './sessions.ts';
import { isEqualText, type Signer } from './signed.ts';

interface SignInDependencies {
  github: GitHubSignIn;
  sessions: SessionCookies;
  signer: Signer;
  /** The server's public URL, without a trailing slash. */
  publicUrl: string;
  now(): Date;
  log: Logger;
}

const NAME = 'autobuild_sign_in';
const TTL_MS = 10 * 60_000;
const Attempt = z.object({ state: z.string(), verifier: z.string(), to: z.string(), at: z.number() });

/** Signs people in with GitHub. Their token is used once, to learn their login, and is not kept. */
export function createSignIn(deps: SignInDependencies): Hono {
  const { github, sessions, signer, publicUrl, now, log } = deps;
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const secure = publicUrl.startsWith('https:');
  const redirect = `${publicUrl}/auth/callback`;
  const cookieOptions = { path: '/', httpOnly: true, sameSite: 'Lax' as const, secure };
  const app = new Hono();

  app.get('/auth/sign-in', (c) => {
    const attempt = {
      state: randomBytes(24).toString('base64url'),
      verifier: randomBytes(48).toString('base64url'),
      to: localPath(c.req.query('to')),
      at: now().getTime(),
    };
    setCookie(c, NAME, signer.sign('sign-in', attempt), { ...cookieOptions, maxAge: TTL_MS / 1000 });
    c.header('cache-control', 'no-store');
    const challenge = createHash('sha256').update(attempt.verifier).digest('base64url');
    return c.redirect(github.authorizeUrl({ state: attempt.state, challenge, redirect }));
  });

  app.get('/auth/callback', async (c) => {
    const attempt = readAttempt(c);
    deleteCookie(c, NAME, cookieOptions);
    const { code, state } = c.req.query();
    if (!attempt || !state || !isEqualText(state, attempt.state))
      return refuse(c, 400, 'This sign-in was not started here, or it took too long.');
    if (!code) return refuse(c, 401, 'GitHub did not sign you in.');
    const login = await github.exchange({ code, verifier: attempt.verifier, redirect });
    if (!login) return refuse(c, 401, 'GitHub did not accept this sign-in.');
    await sessions.start(c, login);
    log.info({ login }, 'signed in');
    return c.redirect(`${base}${attempt.to}`, 303);
  });

  app.post('/auth/sign-out', async (c) => {
    const viewer = await sessions.viewer(c);
    const form = await c.req.parseBody();
    if (viewer && !isEqualText(String(form.csrf ?? ''), viewer.csrf))
      return refuse(c, 403, 'This form is not from this site.');
    await sessions.end(c);
    return sendPage(c, base, undefined, {
      title: 'Signed out',
      narrow: true,
      body: html`<div class="card stack"><h1>You are signed out</h1><p><a class="button" href="${base}/runs">Sign in again</a></p></div>`,
    });
  });

  function readAttempt(c: Context) {
    const text = getCookie(c, NAME);
    const read = text ? Attempt.safeParse(signer.read('sign-in', text)) : undefined;
    return read?.success && now().getTime() - read.data.at <= TTL_MS ? read.data : undefined;
  }

  function refuse(c: Context, status: 400 | 401 | 403, what: string): Response {
    return sendPage(c, base, undefined, {
      ...{ title: 'Not signed in', status, narrow: true },
      body: html`<div class="card stack"><h1>Not signed in</h1><p>${what}</p><p><a class="button" href="${base}/auth/sign-in">Sign in with GitHub</a></p></div>`,
    });
  }

  return app;
}

/** Only paths of this server, so that the link to sign in leads nowhere else. */
function localPath(to: string | undefined): string {
  return to && /^\/(?![/\\])[\w./?=&%-]*$/.test(to) ? to : '/runs';
}
