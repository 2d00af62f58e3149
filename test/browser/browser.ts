import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium as driver } from 'playwright-core';

/** Not the package's own arguments: with those a closed page ends the browser, and pages of any site may read each other. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

let browser: Promise<Browser> | undefined;

/** One browser for all tests of a process; each test has a context of its own. */
export async function openContext(
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext> {
  browser ??= chromium
    .executablePath()
    .then((executablePath) => driver.launch({ executablePath, args: ARGUMENTS, headless: true }));
  return (await browser).newContext(options);
}

export async function closeBrowser(): Promise<void> {
  const open = browser;
  browser = undefined;
  await (await open)?.close();
}
