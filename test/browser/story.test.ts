import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlayground, type Playground } from '../../src/sandbox/playground.ts';
import { closeBrowser, openContext } from './browser.ts';

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

/** From the issue to its pull request, which is merged. */
async function merge({ page }: Visit): Promise<void> {
  await page
    .getByText(/ready for your review|is ready for review/)
    .first()
    .waitFor();
  await page
    .getByRole('link', { name: /pull request #|#\d+/i })
    .first()
    .click();
  await page.getByRole('button', { name: 'Merge pull request' }).click();
  await page.getByText('merged', { exact: true }).waitFor();
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
  await page
    .getByRole('link', { name: /pull request #/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Merge pull request' }).click();
  await page.getByText('merged', { exact: true }).waitFor();
  expect(olivia.errors).toEqual([]);
  await olivia.context.close();
});

test.concurrent('G-7: a ticked box resumes the run that ran in a loop', async () => {
  const olivia = await visit();
  const { page } = olivia;
  await label(olivia, /Expire receipts/);
  await page
    .getByRole('checkbox')
    .nth(await boxOf(page, 'different approach'))
    .click();
  await merge(olivia);
  expect(olivia.errors).toEqual([]);
  await olivia.context.close();
});

test.concurrent('P-6: a button of the page answers the question about too many files, with the diff beside it', async () => {
  const olivia = await visit();
  const { page } = olivia;
  await label(olivia, /Translate the shop/);
  await page.getByText('Waiting for you').first().waitFor();
  await page.getByRole('link', { name: 'run page' }).last().click();
  await page
    .getByRole('button', { name: /\/approve/ })
    .first()
    .click();
  await page
    .getByText(/is ready for review|Waiting for an answer/)
    .first()
    .waitFor();
  expect(olivia.errors).toEqual([]);
  await olivia.context.close();
});

/** The number of the box with these words, once the question is there. */
async function boxOf(page: Page, words: string): Promise<number> {
  await page.locator('li.task', { hasText: words }).first().waitFor();
  const texts = await page.locator('li.task').allTextContents();
  return texts.findIndex((text) => text.includes(words));
}
