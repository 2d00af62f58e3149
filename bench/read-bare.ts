import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CHILD_ENV } from './bench-agent.ts';
import type { StreamPass } from './read-supervised.ts';

/** The least that a program can do with an agent's output: split it into lines and parse them. */
export async function readBare([command = '', ...args]: string[]): Promise<StreamPass> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: CHILD_ENV });
  let lines = 0;
  let chars = 0;
  let begin = 0;
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    if (begin === 0) begin = performance.now();
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      JSON.parse(line);
      lines += 1;
      chars += line.length + 1;
    }
  });
  try {
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`The child ended with ${code}.`);
    return { lines, chars, ms: performance.now() - begin };
  } finally {
    child.kill('SIGKILL');
  }
}
