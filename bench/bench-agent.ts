import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Supervised, type SuperviseOptions, superviseAgent } from '../src/runner/process/supervise.ts';

const running = new Set<Supervised>();
let stopping = false;

/** The children use only the system's own tools. */
export const CHILD_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin' };

export function childArgv(name: string, ...args: string[]): string[] {
  return [process.execPath, join(import.meta.dirname, 'children', name), ...args];
}

/** Runs a child under real supervision while `use` runs. None of its processes outlives that. */
export async function withAgent<Result>(
  options: { argv: string[] } & Pick<SuperviseOptions, 'onLine'> & Partial<SuperviseOptions>,
  use: (agent: Supervised, mark: string) => Promise<Result>,
): Promise<Result> {
  if (stopping) throw new Error('The bench is being stopped.');
  const mark = `bench-${randomBytes(12).toString('hex')}`;
  const agent = superviseAgent({
    cwd: import.meta.dirname,
    env: CHILD_ENV,
    stdin: '',
    mark,
    onOverlong: () => undefined,
    onStderr: (text) => process.stderr.write(text),
    ...options,
  });
  running.add(agent);
  try {
    return await use(agent, mark);
  } finally {
    await agent.kill({ graceMs: 0 });
    await agent.exited;
    running.delete(agent);
  }
}

/**
 * Called at the end of the bench, because agents lead their own sessions and a terminal's Ctrl-C does not reach them.
 */
export async function stopAgents(): Promise<void> {
  stopping = true;
  await Promise.all([...running].map((agent) => agent.kill({ graceMs: 0 })));
}
