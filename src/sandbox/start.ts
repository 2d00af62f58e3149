import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readFlags } from './read-flags.ts';

const USAGE = `Usage: npm start

Serves the App that the environment or the file .env sets up (docs/operate.md); without one it plays npm run demo.
  -- --help   this text
`;

/** `npm start` runs the server if an App is set up, otherwise the whole story on a local GitHub. */
async function start(): Promise<number> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  if (
    process.env.APP_ID ||
    process.env.PRIVATE_KEY ||
    process.env.PRIVATE_KEY_PATH ||
    process.env.WEBHOOK_SECRET
  ) {
    const { main } = await import('../server.ts');
    await main();
    return 0;
  }
  process.stdout.write(
    'No GitHub App is set up here, so this is the sandbox: a local GitHub, real jobs, a scripted agent.\n\n',
  );
  const demo = fileURLToPath(new URL('./demo.ts', import.meta.url));
  const child = spawn(process.execPath, [demo], { stdio: 'inherit' });
  const code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1)));
  if (code !== 0) return code;
  process.stdout.write(`
Next:
  connect a repository of your own     docs/operate.md, then npm start again
  try it at the terminal, no GitHub    npm run story
  with your own agent                  npm run -s autobuild -- run TASK.md --directory REPOSITORY -- COMMAND
`);
  return 0;
}

if (readFlags(USAGE, [])) process.exitCode = await start();
