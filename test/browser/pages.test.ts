import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDesk } from '../web/desk.ts';
import { closeBrowser } from './browser.ts';
import { openLocalDesk } from './local-desk.ts';
import { giveUp, seedShownRuns } from './shown-runs.ts';
import { findBarriers, scrollsSideways, visit } from './visit.ts';

const PHONE = { width: 390, height: 844 };
const WORD = 'unbroken'.repeat(20);
const EVIL = `<script>window.hacked=1</script><img src=x onerror="window.hacked=1">"'\`<b>bold</b>${WORD}`;

let empty: TestDesk;
let full: TestDesk;
let hostile: TestDesk;

beforeAll(async () => {
  empty = await openLocalDesk();
  full = await openLocalDesk();
  hostile = await openLocalDesk();
  for (const desk of [empty, full, hostile]) {
    desk.people.rosa = 'admin';
    desk.people.lee = 'read';
  }
  await seedShownRuns(full);
  await seedShownRuns(hostile, (text) => `${text} ${EVIL}`);
  for (const desk of [full, hostile]) await giveUp(desk, desk === hostile ? EVIL : 'HttpError: Not Found');
});
afterAll(async () => {
  await closeBrowser();
  for (const desk of [empty, full, hostile]) await desk?.close();
});

interface Shown {
  path: string;
  by?: string;
  words: RegExp;
  status?: number;
}

const FILLED: Record<string, Shown> = {
  'P-6: the list of runs': { path: '/runs', words: /2 runs wait for you/ },
  'P-6: a search that finds nothing': { path: '/runs?q=nothing-like-this', words: /No run matches/ },
  'P-6: a run that asks for values': { path: '/runs/asking', words: /What's needed/ },
  'P-6: a run that asks to approve a file': { path: '/runs/proposing', words: /1 file to approve/ },
  'S-19: a run for somebody who can only read': {
    path: '/runs/asking',
    by: 'lee',
    words: /requires the write role/,
  },
  'R-8: the whole change of a question': { path: '/runs/proposing/diff', words: /1 file to approve/ },
  'P-6: a run at work': { path: '/runs/working', words: /Building: turn 2/ },
  'P-6: a run at rest': { path: '/runs/ready', words: /pull request #7 is ready for review/ },
  'P-6: a run that has ended': { path: '/runs/merged?turns=all&events=all', words: /Done: merged/ },
  'S-19: a run that is not there': { path: '/runs/none', words: /There is no such run/, status: 404 },
  'P-9: the one-time form': { path: '/runs/asking/secret/smtp_password', words: /Give one secret/ },
  'S-19: the form for somebody who can only read': {
    ...{ path: '/runs/asking/secret/smtp_password', by: 'lee' },
    ...{ words: /More access needed/, status: 403 },
  },
  'P-9: a form that nothing asks for': {
    path: '/runs/ready/secret/k',
    words: /Nothing is asked/,
    status: 410,
  },
  'P-10: analytics': { path: '/analytics', words: /Given up/ },
};
const EMPTY: Record<string, Shown> = {
  'P-6: no runs yet': { path: '/runs', words: /No runs yet/ },
  'P-10: analytics of nothing': { path: '/analytics', words: /no question was answered yet/ },
};

/** Looks at a page as different people see it: by eye and by screen reader, in light and dark, on a desk and on a phone. */
async function examine(desk: TestDesk, { path, by = 'rosa', words, status = 200 }: Shown): Promise<void> {
  const { page, errors } = await visit(desk, by, path, { colorScheme: 'light' });
  await page.getByText(words).first().waitFor();
  expect(await findBarriers(page), 'light').toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await findBarriers(page), 'dark').toEqual([]);
  await page.setViewportSize(PHONE);
  expect(await scrollsSideways(page), 'on a phone').toBe(false);
  // The browser reports the status of a page that refuses.
  expect(errors.filter((error) => !error.includes(`status of ${status} `))).toEqual([]);
}

describe('everybody can read it, in light and dark, on a phone', () => {
  test.each(Object.entries(FILLED))('%s', (_title, shown) => examine(full, shown));
  test.each(Object.entries(EMPTY))('%s', (_title, shown) => examine(empty, shown));

  test('S-19: signing out', async () => {
    const { page, context, errors } = await visit(full, 'rosa', '/runs');
    const stolen = await context.cookies();
    await page.getByRole('button', { name: 'sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    expect(await findBarriers(page), 'light').toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findBarriers(page), 'dark').toEqual([]);
    expect(errors).toEqual([]);
    await context.addCookies(stolen);
    const again = await context.request.get(`${full.url}/runs`, { maxRedirects: 0 });
    expect(again.headers().location).toContain('/auth/sign-in');
  });
});

describe('text of issues and agents stays text', () => {
  const paths = Object.values(FILLED).filter(({ status = 200, by }) => status === 200 && by === undefined);
  test.each(paths.map(({ path }) => path))('S-1: %s', async (path) => {
    const { page, errors } = await visit(hostile, 'rosa', path, { viewport: PHONE });
    expect(await page.evaluate("'hacked' in window")).toBe(false);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await scrollsSideways(page)).toBe(false);
    expect(errors).toEqual([]);
  });
});
