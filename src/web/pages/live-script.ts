/**
 * Reads the page again when the desk says that something changed, and replaces the parts marked `data-part`. A part in which
 * somebody is typing stays as it is. Without JavaScript, reloading does the same.
 */
export const LIVE_SCRIPT = `
const main = document.querySelector('main[data-live]');
let asked = 0;
const isUsed = (part) => part.contains(document.activeElement) && document.activeElement !== document.body
  || [...part.querySelectorAll('input:not([type=hidden]),textarea')].some((field) => field.value !== field.defaultValue);
async function readAgain() {
  const mine = ++asked;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok || mine !== asked) return;
  // The other page's style sheet has another nonce, which this page's policy reports.
  const text = (await answer.text()).replace(/<style[^]*?<\\/style>/, '');
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  document.title = fresh.title;
  for (const part of document.querySelectorAll('[data-part]')) {
    const next = fresh.querySelector('[data-part="' + part.dataset.part + '"]');
    if (!next || next.outerHTML === part.outerHTML || isUsed(part)) continue;
    for (const open of part.querySelectorAll('details[open]')) {
      const same = open.id && next.querySelector('#' + CSS.escape(open.id));
      if (same) same.open = true;
    }
    part.replaceWith(document.importNode(next, true));
  }
}
const events = new EventSource(main.dataset.live);
events.addEventListener('changed', () => { readAgain().catch(() => undefined); });
addEventListener('pagehide', () => events.close());
`;
