import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, openContext } from '../test/browser/browser.ts';
import { openLocalDesk, signIn } from '../test/browser/local-desk.ts';
import { giveUp, seedShownRuns } from '../test/browser/shown-runs.ts';
import { readArguments } from './read-arguments.mjs';

const USAGE = `Usage: npm run screenshots [-- FOLDER]

Makes the documentation's pictures of every page as the product serves it, in light, dark and on a phone. Times and runs are
always the same.
  -- FOLDER   puts them there, and leaves the documentation alone
  -- --help   this text
`;

const [folder = join(import.meta.dirname, '../docs/images/pages')] = readArguments(USAGE, {}, 1).positionals;

const PAGES = {
  runs: '/runs',
  run: '/runs/asking',
  approval: '/runs/proposing/diff',
  form: '/runs/asking/secret/smtp_password',
  analytics: '/analytics',
} as const;
/** Wide pictures end where the page does, but not later than this; on a phone they show the first screen. */
const MAX_HEIGHT = 1640;
const WIDE = { width: 1080, height: 400 };
const LOOKS = {
  light: { colorScheme: 'light', viewport: WIDE },
  dark: { colorScheme: 'dark', viewport: WIDE },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 },
} as const;

mkdirSync(folder, { recursive: true });
const desk = await openLocalDesk();
try {
  desk.people.olivia = 'admin';
  await seedShownRuns(desk);
  await giveUp(desk, 'HttpError: Resource not accessible by integration');
  for (const [look, options] of Object.entries(LOOKS)) {
    const context = await openContext(options);
    await signIn(context, desk.url, 'olivia');
    const page = await context.newPage();
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(`${desk.url}${path}`);
      const { width, height } = options.viewport;
      const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
      const clip = { x: 0, y: 0, width, height: look === 'phone' ? height : Math.min(whole, MAX_HEIGHT) };
      const file = join(folder, `${name}-${look}.png`);
      await page.screenshot({ path: file, fullPage: true, clip, animations: 'disabled' });
      console.log(file);
    }
    await context.close();
  }
} finally {
  await closeBrowser();
  await desk.close();
}
