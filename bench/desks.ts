import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostedStore } from '../src/core/ports/hosted-store.ts';
import { openPostgresStore } from '../src/store/postgres.ts';
import { startPostgres } from '../test/store/hosted/postgres-server.ts';
import { CHILD_ENV, childArgv } from './bench-agent.ts';
import type { Figure } from './figure.ts';
import { commentOf, type Place, seedRuns } from './handle-command.ts';
import { median, round } from './statistics.ts';

const DESKS = [1, 2, 4] as const;
const WARM_UP = 1;
const ROUNDS = 9;
const COMMANDS = 60;
const LOOK_MS = 10;
const GIVE_UP_MS = 60_000;

export const desks: Figure = {
  id: 'desks',
  title: 'commands/s, inbox to outbox, with 2 desks on one PostgreSQL ÷ with 1',
  unit: '×',
  better: 'higher',
  async measure() {
    const server = await startPostgres();
    const url = await server.createDatabase();
    const key = randomBytes(32).toString('base64');
    const store = await openPostgresStore({ url, key });
    const all = Array.from({ length: Math.max(...DESKS) }, () => startDesk(url, key));
    try {
      await Promise.all(all.map(({ said }) => said()));
      const found = DESKS.map(() => [] as number[]);
      let issue = 0;
      // The runs of one measurement are in one repository.
      const nextPlace = (): Place => {
        issue += 1;
        return { repo_id: Math.ceil(issue / COMMANDS), issue };
      };
      for (let at = 0; at < WARM_UP + ROUNDS; at += 1)
        for (const [index, count] of DESKS.entries()) {
          const places = Array.from({ length: COMMANDS }, nextPlace);
          const perSecond = await measureDesks(store, all.slice(0, count), places);
          // In the first rounds, code is compiled and connections are opened.
          if (at >= WARM_UP) found[index]?.push(perSecond);
        }
      const ratioTo = (index: number) =>
        median((found[index] ?? []).map((perSecond, at) => perSecond / (found[0]?.[at] ?? Number.NaN)));
      return {
        value: ratioTo(1),
        detail: {
          with_4_desks: round(ratioTo(2)),
          ...Object.fromEntries(
            DESKS.map((count, index) => [`per_s_with_${count}`, round(median(found[index] ?? []), 0)]),
          ),
          commands: COMMANDS,
          rounds: ROUNDS,
          cores: availableParallelism(),
          load: round(loadavg()[0] ?? 0, 1),
        },
      };
    } finally {
      await Promise.all(all.map(({ stop }) => stop()));
      await store.close();
      await server.close();
    }
  },
};

/** Commands per second, each on a run of its own, until all are decided and their effects are performed. Other desks rest. */
async function measureDesks(store: HostedStore, used: DeskProcess[], places: Place[]): Promise<number> {
  await seedRuns(store, places);
  await store.inbox.put(places.map((place) => commentOf(place, place.issue, '/pause')));
  const begin = performance.now();
  for (const { tell } of used) tell('work');
  while (!(await isDone(store))) {
    if (performance.now() - begin > GIVE_UP_MS) throw new Error(`${used.length} desks are not done.`);
    await sleep(LOOK_MS);
  }
  const perSecond = places.length / ((performance.now() - begin) / 1000);
  const rest = used.map(({ said }) => said());
  for (const { tell } of used) tell('rest');
  await Promise.all(rest);
  return perSecond;
}

async function isDone({ inbox, outbox }: HostedStore): Promise<boolean> {
  const received = await inbox.size();
  return received.waiting + received.busy === 0 && (await outbox.size()).waiting === 0;
}

type DeskProcess = ReturnType<typeof startDesk>;

function startDesk(url: string, key: string) {
  const [file = '', ...args] = childArgv('work-desk.ts', url, key);
  const child = spawn(file, args, { env: CHILD_ENV, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const ended = exited.then(() => Promise.reject(new Error('A desk ended early.')));
  ended.catch(() => undefined);
  return {
    tell: (line: string) => void child.stdin.write(`${line}\n`),
    /** The next line of the desk. */
    said: () => Promise.race([once(child.stdout, 'data'), ended]),
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
