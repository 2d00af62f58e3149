import { type ChildProcess, spawn } from 'node:child_process';

/** The real runner's sequence: SIGINT, SIGTERM, SIGKILL. */
const INTERRUPT_MS = 7_500;
const TERMINATE_MS = 2_500;

/** Runs one step of a job with everything it starts. False means that it failed or was cancelled. */
export async function runStepProcess(
  argv: string[],
  options: {
    cwd: string;
    env: Record<string, string>;
    cancelled: AbortSignal;
    /** SIGKILL at once, like a machine that loses power. */
    killed: AbortSignal;
    onOutput(text: string): void;
  },
): Promise<boolean> {
  const [program = '', ...args] = argv;
  const { cwd, env, cancelled, killed, onOutput } = options;
  // A process group of its own, so that everything it leaves behind can be ended.
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
  const stop = () => void stopProcess(child);
  cancelled.addEventListener('abort', stop, { once: true });
  if (cancelled.aborted) stop();
  const kill = () => signalGroup(child, 'SIGKILL');
  killed.addEventListener('abort', kill, { once: true });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  cancelled.removeEventListener('abort', stop);
  killed.removeEventListener('abort', kill);
  signalGroup(child, 'SIGKILL');
  return code === 0;
}

async function stopProcess(child: ChildProcess): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGINT', INTERRUPT_MS],
    ['SIGTERM', TERMINATE_MS],
  ] as const) {
    child.kill(signal);
    if (await endsWithin(child, waitMs)) return;
  }
  signalGroup(child, 'SIGKILL');
}

function endsWithin(child: ChildProcess, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid) process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
