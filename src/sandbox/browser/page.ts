import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Html, type HtmlValue, html, ownMarkup } from '../../web/pages/html.ts';
import { STYLE } from '../../web/pages/style.ts';
import { SITE_STYLE } from './style.ts';

export interface SitePage {
  title: string;
  body: HtmlValue;
  status?: number;
}

export interface SiteContext {
  /** Who clicks: one of the sandbox's people. */
  person: string;
  people: readonly string[];
  /** `/owner/name` */
  repository: string;
  /** The address of the App's pages. */
  appUrl?: string;
}

/** Reads the page again every second while something may change, and sends a tick at once. Without it, reloading does. */
const SCRIPT = `
document.addEventListener('change', (event) => { const box = event.target; if (box.dataset && box.dataset.box !== undefined) box.form.requestSubmit(box.form.querySelector('button[value="' + box.dataset.box + '"]')); });
let last = document.querySelector('main').innerHTML;
const nameOf = (fold) => fold.querySelector('summary')?.textContent;
function isUsed() {
  const field = document.activeElement;
  return field && /^(TEXTAREA|INPUT|SELECT)$/.test(field.tagName) && field.type !== 'checkbox'
    || [...document.querySelectorAll('textarea')].some((one) => one.value !== one.defaultValue)
    || document.querySelector('main :active');
}
async function look() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const text = (await answer.text()).replace(/<style[^]*?<\\/style>/, '');
  const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('main');
  // Asked only now, because somebody may begin to type or to click while the page is read.
  if (fresh.innerHTML === last || isUsed()) return;
  const open = [...document.querySelectorAll('details[open]')].map(nameOf);
  last = fresh.innerHTML;
  document.querySelector('main').replaceWith(document.importNode(fresh, true));
  for (const one of document.querySelectorAll('details')) if (open.includes(nameOf(one))) one.open = true;
}
const again = () => look().catch(() => undefined).then(() => setTimeout(again, 1000));
setTimeout(again, 1000);
`;

/** One document of the stand-in, with the banner that says what it is. */
export function sendSitePage(response: ServerResponse, context: SiteContext, page: SitePage): void {
  const nonce = randomBytes(16).toString('base64');
  const made = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · sandbox</title><style nonce="${nonce}">${ownMarkup(STYLE + SITE_STYLE)}</style></head>
<body>${renderBanner(context)}<main>${page.body}</main><script nonce="${nonce}">${ownMarkup(SCRIPT)}</script></body></html>`;
  response.writeHead(page.status ?? 200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  });
  response.end(made.toString());
}

function renderBanner({ person, people, repository, appUrl }: SiteContext): Html {
  return html`<div class="stand-in" role="note"><span><b>Sandbox.</b> This is a stand-in for GitHub on your machine, not GitHub. <a href="${repository}/issues">Issues</a> · <a href="${repository}/pulls">Pull requests</a> · <a href="${repository}/actions">Jobs</a>${
    appUrl && html` · <a href="${appUrl}/runs">Autobuild's pages</a>`
  }</span><form method="post" action="/_sandbox/person"><label>You are <select name="person">${people.map(
    (login) => html`<option${login === person && html` selected`}>${login}</option>`,
  )}</select></label> <button>Switch</button></form></div>`;
}

/** Markup that `renderMarkdown` has cleaned. */
export function cleaned(markup: string): Html {
  return ownMarkup(markup);
}
