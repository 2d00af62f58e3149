import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { type Html, type HtmlValue, html, ownMarkup } from './html.ts';
import { LIVE_SCRIPT } from './live-script.ts';
import { STYLE } from './style.ts';

/** The person who looks at a page. */
export interface Viewer {
  login: string;
  /** Goes with every form. Other sites cannot know it. */
  csrf: string;
}

export interface Page {
  title: string;
  body: HtmlValue;
  /** The path of the server-sent events that say when to read the page again. */
  live?: string;
  narrow?: boolean;
  status?: 200 | 400 | 401 | 403 | 404 | 409 | 410 | 413 | 422 | 500 | 503;
}

/** Sends a page. It may load nothing from elsewhere, and be shown in no frame. */
export function sendPage(c: Context, base: string, viewer: Viewer | undefined, page: Page): Response {
  const nonce = randomBytes(16).toString('base64');
  const { live } = page;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(live ? [`script-src 'nonce-${nonce}'`, "connect-src 'self'"] : []),
  ];
  const made = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · Autobuild</title>
<style nonce="${nonce}">${ownMarkup(STYLE)}</style>
</head>
<body>
${renderTop(base, viewer)}
<main${page.narrow && ownMarkup(' class="narrow"')}${live && html` data-live="${base}${live}"`}>${page.body}</main>
${live && html`<script nonce="${nonce}">${ownMarkup(LIVE_SCRIPT)}</script>`}
</body>
</html>
`;
  return c.body(made.toString(), page.status ?? 200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
  });
}

function renderTop(base: string, viewer: Viewer | undefined): Html {
  if (!viewer) return html`<header class="top"><b>Autobuild</b></header>`;
  return html`<header class="top"><nav aria-label="Pages"><b>Autobuild</b><a href="${base}/runs">Runs</a><a href="${base}/analytics">Analytics</a></nav>
<span>${viewer.login} · <form method="post" action="${base}/auth/sign-out">${csrfField(viewer)}<button class="plain">sign out</button></form></span></header>`;
}

export function csrfField(viewer: Viewer): Html {
  return html`<input type="hidden" name="csrf" value="${viewer.csrf}">`;
}
