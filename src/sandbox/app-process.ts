import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../server.ts', import.meta.url));
const START_MS = 30_000;
const MAX_LOG = 2_000_000;

/** The App in a process of its own, as it is deployed. */
export interface AppProcess {
  port: number;
  log(): string;
  /** SIGKILL, like a machine that loses power. */
  kill(): Promise<void>;
  /** A graceful stop, like a deployment. */
  stop(): Promise<void>;
}

export async function startAppProcess(options: {
  cwd: string;
  env: Record<string, string>;
}): Promise<AppProcess> {
  const child = spawn(process.execPath, [SERVER], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log = `${log}${text}`.slice(-MAX_LOG);
    });
  const exited = once(child, 'close');
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    if (isRunning(child)) child.kill(signal);
    await exited;
  };
  const deadline = Date.now() + START_MS;
  for (;;) {
    const port = /"port":(\d+)[^\n]*autobuild serves/.exec(log)?.[1];
    if (port)
      return { port: Number(port), log: () => log, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
    if (!isRunning(child) || Date.now() > deadline) {
      await end('SIGKILL');
      throw new Error(`The App did not start:\n${log}`);
    }
    await Promise.race([exited, once(child.stdout, 'data', { signal: AbortSignal.timeout(START_MS) })]).catch(
      () => undefined,
    );
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
