import type { Context } from 'hono';
import { sendPage } from './pages/document.ts';
import { renderProblem } from './pages/problem-page.ts';

/** Problems that no route answers. A program only learns whether to retry. */
const PROBLEMS = {
  nothing_here: {
    status: 404,
    error: 'There is nothing here.',
    title: 'There is nothing here',
    words: 'This address leads nowhere.',
  },
  store_away: {
    status: 503,
    error: 'The store cannot be used now, try again.',
    title: 'Not available right now',
    words:
      'The server cannot use its store. Nothing was changed. A form that you sent still works: go back, and send it again in a moment.',
  },
  fault: {
    status: 500,
    error: 'This is a fault of the server.',
    title: 'Something went wrong',
    words: 'This is a fault of the server. Its log says more.',
  },
} as const;

/** A page for a browser, JSON for a program. */
export function answerProblem(c: Context, name: keyof typeof PROBLEMS): Response {
  const { status, error, title, words } = PROBLEMS[name];
  if (status === 503) c.header('retry-after', '5');
  const isBrowser = /\btext\/html\b/.test(c.req.header('accept') ?? '');
  return isBrowser
    ? sendPage(c, '', undefined, renderProblem(status, title, words))
    : c.json({ error }, status);
}
