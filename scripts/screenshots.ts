import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, openContext } from '../test/browser/browser.ts';
import { openLocalDesk, signIn } from '../test/browser/local-desk.ts';
import { giveUp, seedShownRuns } from '../test/browser/shown-runs.ts';

/** Takes pictures of every page as the product serves it: `npm run screenshots -- <folder>`. Times and runs are always the same. */
const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: npm run screenshots -- <folder>');
  process.exit(2);
}

const PAGES = {
  runs: '/runs',
  question: '/runs/asking',
  approval: '/runs/proposing',
  diff: '/runs/proposing/diff',
  building: '/runs/working',
  done: '/runs/ready',
  form: '/runs/asking/secret/smtp_password',
  'form-not-asked': '/runs/ready/secret/smtp_password',
  analytics: '/analytics',
} as const;
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1080, height: 720 } },
  dark: { colorScheme: 'dark', viewport: { width: 1080, height: 720 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
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
      const file = join(folder, `${name}-${look}.png`);
      await page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
      console.log(file);
    }
    await context.close();
  }
} finally {
  await closeBrowser();
  await desk.close();
}
