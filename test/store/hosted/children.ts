import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { Backend } from './backend.ts';

const SCRIPT = join(import.meta.dirname, 'child.ts');

export interface Child {
  process: ChildProcess;
  /** The lines it printed so far. */
  lines: string[];
  /** The next line, or undefined when it ended. */
  nextLine(): Promise<string | undefined>;
  ended: Promise<unknown>;
}

/** Another process on the same database; killed after the test if it is still there. */
export function startChild(
  task: string,
  { where }: Backend,
  options: { count?: number; fileBlocks?: number } = {},
): Child {
  const args = [SCRIPT, task, JSON.stringify(where), String(options.count ?? 0)];
  const limit = options.fileBlocks ? `ulimit -f ${options.fileBlocks} && ` : '';
  const child = spawn('bash', ['-c', `${limit}exec "$0" "$@"`, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines: string[] = [];
  const source = createInterface({ input: child.stdout });
  source.on('line', (line) => lines.push(line));
  let read = 0;
  return {
    process: child,
    lines,
    ended,
    async nextLine() {
      if (lines.length <= read) await Promise.race([once(source, 'line'), ended]);
      read += 1;
      return lines[read - 1];
    },
  };
}
