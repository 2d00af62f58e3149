import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { childArgv, withAgent } from './bench-agent.ts';
import type { Figure } from './figure.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { median, round } from './statistics.ts';

const run = promisify(execFile);
const ROUNDS = 3;
const WARM_UP = 1_000;
const REQUESTS = 5_000;
const CONNECTIONS = 16;
/** Shown only as a detail: how much of the difference is waiting for the disk, which concurrent deliveries share. */
const MANY_CONNECTIONS = 64;
const START_MS = 20_000;
const LOAD_MS = 60_000;

interface Load {
  perSecond: number;
  p99: number;
  bytes: number;
}

export const webhooks: Figure = {
  id: 'webhooks',
  title: 'durable webhooks/s ÷ bare Probot with an empty handler, one core each',
  bar: 1.3,
  unit: '×',
  better: 'higher',
  async measure() {
    const pinned = await canPin();
    // The first comparison warms up the disk and the caches and is not counted.
    await compare(1, CONNECTIONS, pinned);
    const { ratios, ours, bare } = await compare(ROUNDS, CONNECTIONS, pinned);
    const many = await compare(ROUNDS, MANY_CONNECTIONS, pinned);
    const middle = (loads: Load[], of: keyof Load) => median(loads.map((load) => load[of]));
    return {
      value: median(ratios),
      detail: {
        rounds: ROUNDS,
        lowest: round(Math.min(...ratios)),
        highest: round(Math.max(...ratios)),
        connections: CONNECTIONS,
        [`at_${MANY_CONNECTIONS}_connections`]: round(median(many.ratios)),
        body_bytes: middle(ours, 'bytes'),
        durable_per_s: round(middle(ours, 'perSecond'), 0),
        durable_p99_ms: round(middle(ours, 'p99')),
        probot_per_s: round(middle(bare, 'perSecond'), 0),
        probot_p99_ms: round(middle(bare, 'p99')),
        cores: pinned ? 'one each' : 'not pinned',
      },
    };
  },
};

/** The two run in turn, so that both sides of a ratio meet the same machine. */
async function compare(
  rounds: number,
  connections: number,
  pinned: boolean,
): Promise<{ ratios: number[]; ours: Load[]; bare: Load[] }> {
  const found = { ratios: [] as number[], ours: [] as Load[], bare: [] as Load[] };
  for (let at = 0; at < rounds; at += 1) {
    const bare = await loadServer('serve-probot.ts', connections, pinned);
    const ours = await loadServer('serve-ingest.ts', connections, pinned);
    found.bare.push(bare);
    found.ours.push(ours);
    found.ratios.push(ours.perSecond / bare.perSecond);
  }
  return found;
}

/** Starts a fresh server each time, because stored data of an earlier round must not slow a later one. */
function loadServer(child: string, connections: number, pinned: boolean): Promise<Load> {
  return withScratchDirectory((directory) => {
    const secret = randomBytes(20).toString('hex');
    const ready = Promise.withResolvers<string>();
    const argv = onCore(0, childArgv(child, directory, secret), pinned);
    return withAgent({ argv, onLine: ready.resolve }, async () => {
      const late = setTimeout(() => ready.reject(new Error(`${child} did not start.`)), START_MS);
      const port = await ready.promise.finally(() => clearTimeout(late));
      return fire(`http://127.0.0.1:${port}/api/github/webhooks`, secret, connections, pinned);
    });
  });
}

async function fire(url: string, secret: string, connections: number, pinned: boolean): Promise<Load> {
  const figures = [WARM_UP, REQUESTS, connections].map(String);
  const argv = onCore(1, childArgv('fire-webhooks.ts', url, secret, ...figures), pinned);
  const [file = '', ...args] = argv;
  const { stdout } = await run(file, args, { timeout: LOAD_MS });
  const result = JSON.parse(stdout) as Record<'taken' | 'refused' | 'seconds' | 'bytes' | 'p99', number>;
  if (result.taken !== REQUESTS)
    throw new Error(`${result.taken} of ${REQUESTS} webhooks were taken, ${result.refused} refused.`);
  return { perSecond: REQUESTS / result.seconds, p99: result.p99, bytes: result.bytes };
}

function onCore(core: number, argv: string[], pinned: boolean): string[] {
  return pinned ? ['taskset', '-c', String(core), ...argv] : argv;
}

async function canPin(): Promise<boolean> {
  return run('taskset', ['-c', '0,1', 'true']).then(
    () => true,
    () => false,
  );
}
