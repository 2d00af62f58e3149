import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { inTime } from '../../core/in-time.ts';
import { createBoundedOutput } from '../output/bounded-output.ts';
import { type Enter, enterDirectly } from '../process/enter.ts';
import type { ProcessTree } from '../process/process-tree.ts';

/** The time between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 2_000;
/** Bounds the wait for the pipes to close, because a daemon that left the tree may hold them open forever. */
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
  /** The box that the command runs in. Left out: none. */
  enter?: Enter;
};

/** Runs one command line. Always ends, and kills every process that the command left. */
export async function runCheckCommand(options: CommandOptions): Promise<CommandEnd> {
  const { command, cwd, env, timeoutMs, signal, enter = enterDirectly } = options;
  const output = createBoundedOutput();
  const end: CommandEnd = { exitCode: null, timedOut: false, aborted: signal?.aborted ?? false, output: '' };
  if (end.aborted) return end;

  const mark = randomBytes(12).toString('hex');
  const entered = enter({ argv: ['/bin/sh', '-c', command], cwd, env, mark, useCgroup: false });
  const [program = '', ...rest] = entered.command;
  const child = spawn(program, rest, {
    cwd,
    env: entered.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const tree: ProcessTree | undefined = child.pid === undefined ? undefined : entered.tree(child.pid);
  child.stdout.on('data', output.push);
  child.stderr.on('data', output.push);

  let stopping: Promise<unknown> | undefined;
  const stop = () => {
    stopping ??= tree?.kill({ graceMs: KILL_GRACE_MS });
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
    await (stopping ?? tree?.kill({ graceMs: 0 }));
    await waitForClose(child);
  } catch (error) {
    output.push(
      Buffer.from(`could not start /bin/sh in ${cwd}: ${error instanceof Error ? error.message : error}\n`),
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    child.stdout.destroy();
    child.stderr.destroy();
    entered.close();
  }
  return { ...end, output: output.text() };
}

function waitForExit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
}

async function waitForClose(child: ChildProcess): Promise<void> {
  if (child.stdout?.closed && child.stderr?.closed) return;
  await inTime<unknown>(once(child, 'close'), AbortSignal.timeout(DRAIN_GRACE_MS), () => undefined);
}
