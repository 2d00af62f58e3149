import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Sessions } from '../../core/ports/sessions.ts';
import { hashToken } from '../jobs/tokens.ts';
import type { Viewer } from '../pages/document.ts';

const NAME = 'autobuild_session';
const TTL_MS = 8 * 60 * 60_000;
/** A cookie that leaks is good for this long at most, as long as its owner reads pages. */
const ROTATE_AFTER_MS = 60 * 60_000;
/** For requests that were sent with the old cookie. */
const GRACE_MS = 60_000;

export interface SessionCookies {
  start(c: Context, login: string): Promise<void>;
  /** Undefined if nobody is signed in. Gives an old session a new cookie. */
  viewer(c: Context): Promise<Viewer | undefined>;
  end(c: Context): Promise<void>;
}

/** A session is a random cookie. Only its hash is stored, so that reading the database lets nobody in. */
export function createSessionCookies(sessions: Sessions, secure: boolean): SessionCookies {
  const cookieOptions = {
    ...{ path: '/', httpOnly: true, sameSite: 'Lax' as const, secure },
    // Browsers accept such a cookie only over TLS and from this very host.
    ...(secure ? { prefix: 'host' as const } : {}),
  };
  const read = (c: Context) => (secure ? getCookie(c, NAME, 'host') : getCookie(c, NAME));
  const write = (c: Context, id: string) =>
    setCookie(c, NAME, id, { ...cookieOptions, maxAge: TTL_MS / 1000 });
  const makeId = () => randomBytes(32).toString('base64url');
  return {
    async start(c, login) {
      const old = read(c);
      if (old) await sessions.end(hashToken(old));
      const id = makeId();
      await sessions.add({ hash: hashToken(id), login, ttlMs: TTL_MS });
      write(c, id);
    },
    async viewer(c) {
      const id = read(c);
      const found = id ? await sessions.find(hashToken(id)) : undefined;
      if (!id || !found) return undefined;
      if (found.age_ms < ROTATE_AFTER_MS || c.req.method !== 'GET')
        return { login: found.login, csrf: csrfOf(id) };
      const next = makeId();
      await sessions.rotate(hashToken(id), { hash: hashToken(next), ttlMs: TTL_MS, graceMs: GRACE_MS });
      write(c, next);
      return { login: found.login, csrf: csrfOf(next) };
    },
    async end(c) {
      const id = read(c);
      if (id) await sessions.end(hashToken(id));
      deleteCookie(c, NAME, cookieOptions);
    },
  };
}

/** Derived from the cookie, which scripts of other sites cannot read. */
function csrfOf(id: string): string {
  return createHmac('sha256', id).update('csrf').digest('base64url');
}
