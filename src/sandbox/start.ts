import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EXIT } from '../cli/exit-code.ts';
import { openBrowser, openPlayground, PlaygroundError } from './playground.ts';

const USAGE = `Usage: npm start [-- options]

Serves the App that the environment or the file .env sets up (docs/operate.md). Without one it opens the sandbox: a local
GitHub, real jobs and a scripted agent, in your browser, until Ctrl-C. No account, no network.
  -- --agent NAME   your own agent with your own key instead of the scripted one: claude, codex, gemini, opencode, copilot
  -- --port N       the port of the sandbox's page
  -- --no-open      does not open a browser
  -- --fresh        first removes what an earlier sandbox left
  -- --help         this text
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  agent: { type: 'string' },
  port: { type: 'string' },
  'no-open': { type: 'boolean' },
  fresh: { type: 'boolean' },
} as const;

type Flags = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** The sandbox writes here and nowhere else. */
const FOLDER = fileURLToPath(new URL('../../.sandbox', import.meta.url));

const print = (line = '') => void process.stdout.write(`${line}\n`);

function hasCredentials(): boolean {
  const { APP_ID, PRIVATE_KEY, PRIVATE_KEY_PATH, WEBHOOK_SECRET } = process.env;
  return Boolean(APP_ID || PRIVATE_KEY || PRIVATE_KEY_PATH || WEBHOOK_SECRET);
}

/** `npm start` runs the server if an App is set up, otherwise the sandbox. */
async function start(flags: Flags): Promise<number> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  if (hasCredentials()) {
    const { main } = await import('../server.ts');
    await main();
    return 0;
  }
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  if (flags.fresh && !existsSync(join(FOLDER, 'running.json')))
    rmSync(FOLDER, { recursive: true, force: true });
  const agent = flags.agent ? `your agent ${flags.agent}` : 'a scripted agent';
  print(`No GitHub App is set up here, so this is the sandbox: a local GitHub, real jobs, ${agent}.`);
  const playground = await openPlayground({
    directory: FOLDER,
    port: readPort(flags.port),
    agent: flags.agent,
    env: process.env,
    print,
  });
  print();
  print(`  Open ${playground.url}`);
  print();
  print('Label an issue there, answer its questions, merge its pull request. Ctrl-C ends the sandbox.');
  if (process.stdout.isTTY && !flags['no-open'] && !(await openBrowser(playground.url, process.platform)))
    print('No browser could be opened here: open the address yourself.');
  await stopped;
  print('\nStopping …');
  await playground.close();
  print(`Stopped. Nothing runs any more; its files are in ${FOLDER}.`);
  return 0;
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new PlaygroundError(`--port ${text} is not a number from 1 to 65535.`);
}

function readFlags(): Flags | undefined {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    const [problem] = (error as Error).message.split('. ');
    process.stderr.write(`✗ ${problem}\n${USAGE}`);
    process.exitCode = EXIT.usage;
    return undefined;
  }
}

const flags = readFlags();
if (flags?.help) process.stdout.write(USAGE);
else if (flags) {
  try {
    process.exitCode = await start(flags);
  } catch (error) {
    if (!(error instanceof PlaygroundError)) throw error;
    process.stderr.write(`✗ ${error.message}\n`);
    process.exitCode = EXIT.usage;
  }
}
