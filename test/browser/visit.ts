import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { openContext } from './browser.ts';
import { signIn } from './local-desk.ts';

interface Visit {
  page: Page;
  context: BrowserContext;
  /** What the browser's console shows as an error. */
  errors: string[];
}

/** A browser of its own for the person, signed in, at a page. */
export async function visit(
  { url }: { url: string },
  login: string,
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit> {
  const context = await openContext(options);
  onTestFinished(() => context.close());
  await signIn(context, url, login);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => void errors.push(error.message));
  await page.goto(`${url}${path}`);
  return { page, context, errors };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What a screen reader or weak eyes would stumble over: rule and place of each serious finding. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    type Found = { id: string; impact?: string; nodes: { html: string; failureSummary?: string }[] };
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Found[] }> } };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      );
  });
}

/** True if the page itself, and not a box in it, can be moved sideways. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  ) as Promise<boolean>;
}
