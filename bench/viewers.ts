import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { Visitor } from '../test/web/visitor.ts';
import { CHILD_ENV, childArgv } from './bench-agent.ts';
import type { Figure } from './figure.ts';
import { round } from './statistics.ts';

const VIEWERS = 500;
/** The first connections load code and fill pools that later ones share. */
const WARM_UP = 50;

/** One open page that waits for news, as a browser holds it. */
async function watch(url: string, cookie: string): Promise<IncomingMessage> {
  const [response] = (await once(
    get(`${url}/runs/r1/events`, { agent: false, headers: { cookie, accept: 'text/event-stream' } }),
    'response',
  )) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`The stream answered ${response.statusCode}.`);
  response.resume();
  response.on('error', () => undefined);
  return response;
}

export const viewers: Figure = {
  id: 'viewers',
  title: `memory of the server per idle viewer of a run, with ${VIEWERS} of them`,
  unit: 'kB',
  better: 'lower',
  async measure() {
    const [program = '', ...args] = childArgv('serve-pages.ts');
    const child = spawn(program, args, { env: CHILD_ENV, stdio: ['pipe', 'pipe', 'inherit'] });
    const open: IncomingMessage[] = [];
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const next = async () => String((await lines.next()).value);
      const url = await next();
      const memory = async () => {
        child.stdin.write('\n');
        return JSON.parse(await next()) as { held: number; rss: number };
      };
      const rosa = new Visitor({ url });
      await rosa.signIn('rosa');
      const cookie = [...rosa.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const add = async (count: number) => {
        for (let at = 0; at < count; at += 1) open.push(await watch(url, cookie));
      };
      await add(WARM_UP);
      const before = await memory();
      await add(VIEWERS);
      const after = await memory();
      const each = (key: 'held' | 'rss') => (after[key] - before[key]) / VIEWERS / 1000;
      return { value: each('held'), detail: { viewers: VIEWERS, resident_kb_each: round(each('rss'), 1) } };
    } finally {
      for (const response of open) response.destroy();
      child.kill('SIGKILL');
    }
  },
};
