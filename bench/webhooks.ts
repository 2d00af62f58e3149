import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { promisify } from 'node:util';
import { childArgv, withAgent } from './bench-agent.ts';
import type { Figure } from './figure.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { median, round } from './statistics.ts';

const run = promisify(execFile);
/** Many short rounds, because other work on the machine comes in bursts that are longer than a round. */
const ROUNDS = 15;
const WARM_UP = 200;
/** Before the first round: a server runs for weeks, with compiled code and a WAL file that has its full size. */
const WARM_UP_ROUND = 15_000;
const REQUESTS = 3_000;
/** GitHub opens as many as it likes. */
const CONNECTIONS = 64;
/** Shown only as a detail, because with so few the disk's sync is measured, which concurrent deliveries share. */
const FEW_CONNECTIONS = 16;
const START_MS = 20_000;
const LOAD_MS = 60_000;
const TICK_MS = 10;

interface Load {
  perSecond: number;
  p99: number;
  bytes: number;
  /** CPU time of the server per webhook. */
  cpuMs: number;
}

export const webhooks: Figure = {
  id: 'webhooks',
  title: 'durable webhooks/s ÷ bare Probot with an empty handler, one core each',
  bar: 1.3,
  unit: '×',
  better: 'higher',
  async measure() {
    const pinned = await canPin();
    const { ratios, ours, bare } = await compare(CONNECTIONS, pinned);
    const few = await compare(FEW_CONNECTIONS, pinned);
    const middle = (loads: Load[], of: keyof Load) => median(loads.map((load) => load[of]));
    return {
      value: median(ratios),
      detail: {
        rounds: ROUNDS,
        lowest: round(Math.min(...ratios)),
        highest: round(Math.max(...ratios)),
        connections: CONNECTIONS,
        [`at_${FEW_CONNECTIONS}_connections`]: round(median(few.ratios)),
        body_bytes: middle(ours, 'bytes'),
        durable_per_s: round(middle(ours, 'perSecond'), 0),
        durable_p99_ms: round(middle(ours, 'p99')),
        probot_per_s: round(middle(bare, 'perSecond'), 0),
        probot_p99_ms: round(middle(bare, 'p99')),
        // Hardly depends on what else runs here, but leaves out the waiting for the disk.
        probot_cpu_by_ours: round(middle(bare, 'cpuMs') / middle(ours, 'cpuMs')),
        load: round(loadavg()[0] ?? 0, 1),
        cores: pinned ? 'one each' : 'not pinned',
      },
    };
  },
};

/**
 * Both servers are up all the time and take their webhooks in turn, so that both sides of a ratio meet the same machine.
 */
function compare(
  connections: number,
  pinned: boolean,
): Promise<{ ratios: number[]; ours: Load[]; bare: Load[] }> {
  return withServer('serve-probot.ts', pinned, (loadBare) =>
    withServer('serve-ingest.ts', pinned, async (loadOurs) => {
      const found = { ratios: [] as number[], ours: [] as Load[], bare: [] as Load[] };
      await loadBare(connections, WARM_UP_ROUND);
      await loadOurs(connections, WARM_UP_ROUND);
      for (let at = 0; at < ROUNDS; at += 1) {
        const bare = await loadBare(connections);
        const ours = await loadOurs(connections);
        found.bare.push(bare);
        found.ours.push(ours);
        found.ratios.push(ours.perSecond / bare.perSecond);
      }
      return found;
    }),
  );
}

function withServer<Result>(
  child: string,
  pinned: boolean,
  use: (load: (connections: number, amount?: number) => Promise<Load>) => Promise<Result>,
): Promise<Result> {
  return withScratchDirectory((directory) => {
    const secret = randomBytes(20).toString('hex');
    const ready = Promise.withResolvers<string>();
    const argv = onCore(0, childArgv(child, directory, secret), pinned);
    return withAgent({ argv, onLine: ready.resolve }, async ({ pid = 0 }) => {
      const late = setTimeout(() => ready.reject(new Error(`${child} did not start.`)), START_MS);
      const port = await ready.promise.finally(() => clearTimeout(late));
      return use(async (connections, amount = REQUESTS) => {
        const before = cpuTicks(pid);
        const url = `http://127.0.0.1:${port}/api/github/webhooks`;
        const load = await fire({ url, secret, connections, amount, pinned });
        return { ...load, cpuMs: ((cpuTicks(pid) - before) * TICK_MS) / (WARM_UP + amount) };
      });
    });
  });
}

/** User and system time of a process. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

async function fire({
  url,
  secret,
  connections,
  amount,
  pinned,
}: {
  url: string;
  secret: string;
  connections: number;
  amount: number;
  pinned: boolean;
}): Promise<Omit<Load, 'cpuMs'>> {
  const figures = [WARM_UP, amount, connections].map(String);
  const argv = onCore(1, childArgv('fire-webhooks.ts', url, secret, ...figures), pinned);
  const [file = '', ...args] = argv;
  const { stdout } = await run(file, args, { timeout: LOAD_MS });
  const result = JSON.parse(stdout) as Record<'taken' | 'refused' | 'seconds' | 'bytes' | 'p99', number>;
  if (result.taken !== amount)
    throw new Error(`${result.taken} of ${amount} webhooks were taken, ${result.refused} refused.`);
  return { perSecond: amount / result.seconds, p99: result.p99, bytes: result.bytes };
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
