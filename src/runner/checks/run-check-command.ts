import { type ChildProcess, spawn } from 'node:child_process';
import { createBoundedOutput } from '../output/bounded-output.ts';

/** The time between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 2_000;
/** Bounds the wait for the pipes to close, because a daemon that left the process group may hold them open forever. */
const DRAIN_GRACE_MS = 500;

export type CommandEnd = {
  exitCode: number | null;
  timedOut: boolean;
  aborted: boolean;
  output: string;
};

type CommandOptions = {
  command: string;
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal;
};

/** Runs one command line in its own process group. Always ends, and kills every process left in the group. */
export async function runCheckCommand({
  command,
  cwd,
  env,
  timeoutMs,
  signal,
}: CommandOptions): Promise<CommandEnd> {
  const output = createBoundedOutput();
  const end: CommandEnd = { exitCode: null, timedOut: false, aborted: signal?.aborted ?? false, output: '' };
  if (end.aborted) return end;

  const child = spawn('/bin/sh', ['-c', command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', output.push);
  child.stderr.on('data', output.push);

  let lastResort: NodeJS.Timeout | undefined;
  const stop = () => {
    signalGroup(child, 'SIGTERM');
    lastResort ??= setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_GRACE_MS);
  };
  const timer = setTimeout(() => {
    end.timedOut = true;
    stop();
  }, timeoutMs);
  const abort = () => {
    end.aborted = true;
    stop();
  };
  signal?.addEventListener('abort', abort, { once: true });

  try {
    end.exitCode = await waitForExit(child);
    await stopGroup(child, end.timedOut || end.aborted);
    await waitForClose(child);
  } catch (error) {
    output.push(
      Buffer.from(`could not start /bin/sh in ${cwd}: ${error instanceof Error ? error.message : error}\n`),
    );
  } finally {
    clearTimeout(timer);
    clearTimeout(lastResort);
    signal?.removeEventListener('abort', abort);
    child.stdout.destroy();
    child.stderr.destroy();
  }
  return { ...end, output: output.text() };
}

function waitForExit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
}

/** Kills the processes that the ended shell left in its group. After an interruption they first get time to end by themselves. */
async function stopGroup(child: ChildProcess, interrupted: boolean): Promise<void> {
  const deadline = performance.now() + KILL_GRACE_MS;
  while (interrupted && signalGroup(child, 0) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20));
  signalGroup(child, 'SIGKILL');
}

function waitForClose(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.stdout?.closed && child.stderr?.closed) return resolve();
    const timer = setTimeout(resolve, DRAIN_GRACE_MS);
    child.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** False if the group has no process that could be signalled. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))
      return false;
    throw error;
  }
}
