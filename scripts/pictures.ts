import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlayground } from '../src/sandbox/playground.ts';
import { closeBrowser, openContext } from '../test/browser/browser.ts';
import { readArguments } from './read-arguments.mjs';
import { drawTerminal, linesThatStay } from './terminal-picture.ts';

const USAGE = `Usage: npm run pictures

Makes the README's pictures again, from the sandbox and from \`npm run story\` as they are today.
  -- --help   this text
`;
readArguments(USAGE);

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs/images');
const COLUMNS = 96;
const PATIENCE_MS = 120_000;

/** The second question of the story with its answer, to the end of the run. */
function pictureTerminal(): string {
  const command = `stty cols ${COLUMNS} rows 60; npm run -s story`;
  const { NO_COLOR: _, ...env } = process.env;
  const { stdout } = spawnSync('script', ['-qefc', command, '/dev/null'], {
    cwd: ROOT,
    env: { ...env, TERM: 'xterm-256color' },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  const lines = linesThatStay(stdout);
  const from = lines.findLastIndex((line) => line.includes('Waiting for you'));
  const to = lines.findLastIndex((line) => line.includes('Undo:'));
  if (from === -1 || to < from) throw new Error(`The story did not come to its end:\n${stdout}`);
  return drawTerminal(
    'A question of Autobuild at a terminal, its answer, and the end of the run',
    lines.slice(from, to + 1),
    COLUMNS,
  );
}

/** The question of an agent that runs in a loop, as the issue shows it. */
async function pictureQuestion(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-pictures-'));
  const env = { PATH: process.env.PATH };
  const playground = await openPlayground({ directory, port: 0, env, print: () => undefined });
  try {
    const context = await openContext({
      viewport: { width: 860, height: 1000 },
      deviceScaleFactor: 1.5,
      colorScheme: 'light',
      // The page allows no styles but its own.
      bypassCSP: true,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(playground.url);
    await page.getByRole('link', { name: /Expire receipts/ }).click();
    await page.getByRole('button', { name: 'Add label autobuild' }).click();
    const question = page.locator('.comment.bot', { has: page.locator('li.task') }).last();
    await question.waitFor();
    // Few machines without a screen have a font with this character, so it is drawn.
    await question.locator('h3').evaluate((heading) => {
      const bar =
        '<i style="display:inline-block;width:.22em;height:.72em;margin-right:.16em;background:currentColor"></i>';
      heading.innerHTML = heading.innerHTML.replace('⏸', bar + bar);
    });
    // Belongs to the stand-in, not to the question.
    await question
      .locator('summary', { hasText: 'Tick without JavaScript' })
      .evaluate((own) => own.parentElement?.remove());
    return await question.screenshot();
  } finally {
    await closeBrowser();
    await playground.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, 'terminal.svg'), pictureTerminal());
writeFileSync(join(FOLDER, 'question.png'), await pictureQuestion());
