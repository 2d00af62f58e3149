import type { Page } from './document.ts';
import { html } from './html.ts';

/** A page that only says why there is nothing else to see. */
export function renderProblem(status: NonNullable<Page['status']>, title: string, words: string): Page {
  return {
    ...{ title, status, narrow: true },
    body: html`<div class="card stack"><h1>${title}</h1><p>${words}</p></div>`,
  };
}
