import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlayground, type Playground } from '../../src/sandbox/playground.ts';
import { closeBrowser, openContext } from './browser.ts';
import { findBarriers } from './visit.ts';

const PATIENCE_MS = 90_000;
let playground: Playground;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-browser-'));
  const env = { PATH: process.env.PATH };
  playground = await openPlayground({ directory, port: 0, env, print: () => undefined });
});
afterAll(async () => {
  await closeBrowser();
  await playground?.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Visit {
  page: Page;
  errors: string[];
  context: BrowserContext;
}

async function visit(): Promise<Visit> {
  const context = await openContext();
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => void errors.push(error.message));
  await page.goto(playground.url);
  return { page, errors, context };
}

async function label({ page }: Visit, issue: RegExp): Promise<void> {
  await page.getByRole('link', { name: issue }).click();
  await page.getByRole('button', { name: 'Add label autobuild' }).click();
}

/** From the issue or the run to its pull request, which is merged and closes the issue. */
async function merge({ page }: Visit, changed: string): Promise<void> {
  await page
    .getByText(/is ready for (?:your )?review/)
    .first()
    .waitFor();
  await page
    .getByRole('link', { name: /^(?:pull request )?#\d+$/ })
    .first()
    .click();
  await page.getByText(changed).first().waitFor();
  await page.getByRole('button', { name: 'Merge pull request' }).click();
  await page.getByText('merged', { exact: true }).waitFor();
  await page
    .getByRole('link', { name: /^#\d+$/ })
    .first()
    .click();
  await page.getByText('closed', { exact: true }).waitFor();
  await page.getByText('Done: merged').first().waitFor();
}

test.concurrent('P-9, P-6: label, a secret by the one-time form, resumed, done, merged, all in the browser', async () => {
  const olivia = await visit();
  const { page } = olivia;
  await label(olivia, /Sign receipts/);
  await page.getByRole('link', { name: /one-time form/ }).click();
  await page.getByLabel(/Key of the till/).fill('till-4711-secret');
  await page.getByRole('button', { name: 'Give it' }).click();
  await page.waitForURL(/\/runs\/[\w-]+$/);
  await page
    .getByText(/is ready for review/)
    .first()
    .waitFor();
  expect(await page.content()).not.toContain('till-4711-secret');
  await merge(olivia, "createHmac('sha256', key)");
  expect(olivia.errors).toEqual([]);
  await olivia.context.close();
});

test.concurrent('P-4: a reply resumes the run that ran in a loop', async () => {
  const olivia = await visit();
  const { page } = olivia;
  await label(olivia, /Expire receipts/);
  await page.getByRole('checkbox', { name: /different approach/ }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByLabel('Reply').fill('/continue new-approach');
  await page.getByRole('button', { name: 'Comment' }).click();
  await page
    .getByText(/is ready for your review/)
    .first()
    .waitFor();
  const thread = page.url();
  await page
    .getByRole('link', { name: /^#\d+$/ })
    .first()
    .click();
  await page.getByText('Comment on a line').first().click();
  await page.getByLabel('Line').first().selectOption({ label: '1: export function expires(order) {' });
  await page.getByLabel('Text').first().fill('/provide days=14');
  await page.getByRole('button', { name: 'Comment on the line' }).first().click();
  await page.getByText('on line 1: /provide days=14').waitFor();
  await page.getByText('values in line comments are not read').waitFor();
  await page.goto(thread);
  await merge(olivia, '14 * 24 * 3600 * 1000');
  expect(await findBarriers(page)).toEqual([]);
  expect(olivia.errors).toEqual([]);
  await olivia.context.close();
});

test.concurrent('P-6, G-7: a button of the page approves one file more, with the diff beside it; a ticked box the others', async () => {
  const olivia = await visit();
  const { page } = olivia;
  await label(olivia, /Translate the shop/);
  await page.getByRole('checkbox', { name: /Approve this file/ }).waitFor();
  const thread = page.url();
  await page.getByRole('link', { name: 'run page' }).last().click();
  await page.getByText("+export default { hello: 'Buongiorno' };").waitFor();
  await page.getByRole('button', { name: /Approve this file/ }).click();
  await page.getByText('4 of 4 files changed, approve a 5th?').first().waitFor();
  await page.goto(thread);
  await page.getByRole('checkbox', { name: /Approve up to 10 files/ }).click();
  await merge(olivia, "import de from './words/de.js';");
  expect(olivia.errors).toEqual([]);
  await olivia.context.close();
});

test.concurrent('S-1: hostile text of an issue runs nothing in the stand-in, and what others write still arrives', async () => {
  const olivia = await visit();
  const { page } = olivia;
  const evil = '</title><script>window.hacked=1</script><img src=x onerror="window.hacked=1">';
  await page.getByLabel('Title').fill(evil);
  await page.getByLabel('Text').fill(`${evil}\n\n<details open ontoggle="window.hacked=1">\n\n- [ ] ${evil}`);
  await page.getByRole('button', { name: 'Open issue' }).click();
  await page.waitForURL(/\/issues\/\d+$/);
  const issue = Number(page.url().split('/').at(-1));
  await playground.sandbox.person('paul').comment(issue, 'I see it, too');
  await page.getByText('I see it, too').waitFor();
  expect(await page.evaluate("'hacked' in window")).toBe(false);
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(olivia.errors).toEqual([]);
  await olivia.context.close();
});

/** The page of an issue while it is being read again; `end` lets that come to its end, with a comment of another person. */
async function visitBeingRead({ page }: Visit): Promise<{ end(): Promise<void> }> {
  const issue = await playground.sandbox.person('olivia').openIssue({ title: 'Round the totals', body: '' });
  await page.goto(`${playground.url}olivia/shop/issues/${issue}`);
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const next = Promise.withResolvers<void>();
  const steps = [begun, next];
  await page.route(page.url(), async (route) => {
    if (route.request().resourceType() === 'fetch') {
      steps.shift()?.resolve();
      await ended.promise;
    }
    await route.continue();
  });
  await begun.promise;
  await playground.sandbox.person('paul').comment(issue, 'To the cent');
  return {
    async end() {
      ended.resolve();
      // A page is read again only after the last time has ended.
      await next.promise;
    },
  };
}

test.concurrent('P-4: a reply that is typed while the page is being read stays', async () => {
  const olivia = await visit();
  const { page } = olivia;
  const reading = await visitBeingRead(olivia);
  await page.getByLabel('Reply').fill('/status');
  await reading.end();
  expect(await page.getByLabel('Reply').inputValue()).toBe('/status');
  await page.getByRole('button', { name: 'Comment' }).click();
  await page.getByText('To the cent').waitFor();
  await page.locator('article').getByText('/status').waitFor();
  expect(olivia.errors).toEqual([]);
  await olivia.context.close();
});

test.concurrent('P-4: a click that begins while the page is being read counts', async () => {
  const olivia = await visit();
  const { page } = olivia;
  const reading = await visitBeingRead(olivia);
  const clicked = Promise.withResolvers<void>();
  await page.route('**/labels', async (route) => {
    clicked.resolve();
    await route.fulfill({ status: 204 });
  });
  await page.getByRole('button', { name: 'Add label autobuild' }).hover();
  await page.mouse.down();
  await reading.end();
  await page.mouse.up();
  await clicked.promise;
  await page.getByText('To the cent').waitFor();
  expect(olivia.errors).toEqual([]);
  await olivia.context.close();
});
