import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import type { Probot } from 'probot';
import autobuild from '../../src/app/app.ts';
import type { AppDependencies } from '../../src/app/dependencies.ts';
import { startWorkers } from '../../src/app/workers/workers.ts';
import { GitHubError } from '../../src/core/ports/github-port.ts';
import type { HostedStore, Wake } from '../../src/core/ports/hosted-store.ts';
import type { Delivery } from '../../src/core/ports/inbox.ts';
import { RULES } from '../../src/guards/rules.ts';
import { laneOf } from '../../src/web/delivery-lane.ts';
import { createJobApi, type JobApiEnv } from '../../src/web/jobs/job-api.ts';
import type { Logger } from '../../src/web/log.ts';
import { APP_ID, connectGitHub, type FakeGitHub, LABEL, OWNER, REPO, WRITES } from './fake-github.ts';
import type { JobRecord } from './job.ts';
import type { Process, World } from './world.ts';

/** A call to GitHub is given up after this time, well before the lease of a lane ends. */
const CALL_MS = 5_000;

/** Commits that another desk may be waiting for. */
const WAKES: Record<string, Wake> = {
  'runs.commit': 'outbox',
  'runs.write': 'outbox',
  'outbox.revive': 'outbox',
  'inbox.put': 'inbox',
};

/** A desk may crash after any of them. */
const CHANGES = new Set([
  ...Object.keys(WAKES),
  'outbox.next',
  'outbox.done',
  'inbox.claim',
  'comments.save',
  'dispatches.change',
  'tickets.add',
  'tickets.redeem',
  'publications.change',
  'timers.done',
]);

export interface Hub {
  world: World;
  github: FakeGitHub;
  store: HostedStore;
  desks: Desk[];
  /** When the end of a run was committed. */
  endedAt: Map<string, number>;
  /** Somebody stops the run just when a job has left its work. */
  onParked?(): void;
  /** Jobs that said something. */
  jobs: JobRecord[];
  /** Promises that were broken at a moment that leaves no trace. */
  broken: string[];
  /** Set while GitHub refuses everything. */
  outage?: { until: number; status: number; retryAfter?: number };
}

/** One server: the real workers, handlers and job API on a store and a GitHub that are messages away. */
export class Desk {
  readonly hub: Hub;
  readonly name: string;
  /** Its clock differs from the database's. */
  readonly skewMs: number;
  process: Process;
  jobs!: Hono<JobApiEnv>;
  store!: HostedStore;
  #listeners = new Set<(what: Wake) => void>();
  #tokens = 0;

  constructor(hub: Hub, name: string, skewMs: number) {
    this.hub = hub;
    this.name = name;
    this.skewMs = skewMs;
    this.process = { name, dead: true, stalledUntil: 0 };
  }

  start(): void {
    const { world } = this.hub;
    world.log(`${this.name}: starts`);
    const process: Process = { name: this.name, dead: false, stalledUntil: 0 };
    this.process = process;
    this.#listeners.clear();
    world.as(process, () => {
      const deps = this.#dependencies(process);
      const handlers = handlersOf(deps);
      this.store = deps.store;
      this.jobs = createJobApi({
        store: deps.store,
        rules: RULES,
        log: deps.log as Logger,
        now: deps.now,
        closing: new AbortController().signal,
        attemptOf: async (target, run) => (await (await deps.github(target)).workflowRun(run))?.attempt,
      });
      startWorkers(deps, (delivery) => receive(handlers, delivery));
    });
  }

  crash(): void {
    this.hub.world.log(`${this.name}: CRASHES`);
    this.process.dead = true;
  }

  stall(ms: number): void {
    this.hub.world.log(`${this.name}: STALLS for ${ms} ms`);
    this.process.stalledUntil = this.hub.world.now + ms;
  }

  /** GitHub sends a webhook. True if the desk has stored it. */
  async ingest(id: string, event: string, payload: object): Promise<boolean> {
    if (this.process.dead) return false;
    const delivery = {
      id,
      event,
      payload: JSON.stringify(payload),
      lane: laneOf(payload),
      received_at: new Date(this.hub.world.now).toISOString(),
    };
    await this.store.inbox.put([delivery]);
    return true;
  }

  wake(what: Wake): void {
    for (const listener of this.#listeners) listener(what);
  }

  #dependencies(process: Process): AppDependencies {
    const { world } = this.hub;
    const log = {
      info: () => undefined,
      warn: (fields: object, message: string) =>
        world.log(`${this.name}: warns: ${message} ${JSON.stringify(fields)}`),
      error: (fields: object, message: string) =>
        world.log(`${this.name}: ERROR: ${message} ${JSON.stringify(fields)}`),
    };
    const github = connectGitHub((method, args) => this.#callGitHub(process, method, args));
    return {
      store: this.#reachStore(process),
      rules: RULES,
      agents: ['claude'],
      github: async () => github,
      repositories: async () => [{ installation_id: 100, owner: OWNER, repo: REPO }],
      settings: {
        appId: APP_ID,
        slug: 'autobuild',
        publicUrl: 'https://desk.test',
        webUrl: 'https://github.test',
        pages: false,
        label: LABEL,
      },
      now: () => new Date(world.now + this.skewMs),
      randomToken: () => `${this.name}-${world.random.next()}-${this.#tokens++}`.padEnd(32, '-'),
      hash: (text) => createHash('sha256').update(text).digest('hex'),
      fetch: async () => ({ ok: true, status: 200 }),
      log,
    };
  }

  /** Every call of the store is a message; the transaction itself is whole or did not happen. */
  #reachStore(process: Process): HostedStore {
    const { world, store } = this.hub;
    const reach = (name: string, act: (...args: never[]) => unknown) => {
      return (...args: never[]): Promise<unknown> =>
        new Promise((resolve, reject) => {
          if (process.dead) return;
          const isSlow = world.faults.happens('slow store', 0.03);
          world.after(isSlow ? world.random.between(50, 1_500) : world.random.between(0, 4), () =>
            world.whenAwake(process, async () => {
              try {
                const result = await act(...args);
                if (name === 'runs.commit') this.#noteEnd(args);
                const what = WAKES[name];
                if (what) this.#announce(what);
                if (
                  CHANGES.has(name) &&
                  world.faults.happens(`crash after ${name}`, 0.004) &&
                  !process.dead
                ) {
                  this.crash();
                  this.#restartAfter(world.random.between(500, 40_000));
                }
                if (world.faults.happens(`stall after ${name}`, CHANGES.has(name) ? 0.006 : 0.0005))
                  this.stall(world.random.between(500, 60_000));
                world.whenAwake(process, () => resolve(result));
              } catch (error) {
                reject(error);
              }
            }),
          );
        });
    };
    const parts = Object.entries(store).map(([part, value]: [string, unknown]) => {
      if (part === 'onWake') return [part, this.#listen];
      if (typeof value === 'function') return [part, reach(part, value as () => unknown)];
      const methods = Object.entries(value as Record<string, () => unknown>);
      return [part, Object.fromEntries(methods.map(([name, act]) => [name, reach(`${part}.${name}`, act)]))];
    });
    return Object.fromEntries(parts) as HostedStore;
  }

  #noteEnd([run, , commit]: unknown[]): void {
    const { events } = commit as { events: { type: string; resumed?: true }[] };
    const { endedAt, world } = this.hub;
    if (events.some(({ type }) => type === 'run_finished') && !endedAt.has(String(run)))
      endedAt.set(String(run), world.now);
    if (events.some(({ type, resumed }) => type === 'job_lost' && !resumed)) this.#checkLost(String(run));
  }

  /** only Actions knows that a job has ended. */
  #checkLost(run: string): void {
    const { jobs, github, broken } = this.hub;
    const newest = jobs
      .filter((job) => job.run === run && job.kind === 'build' && job.accepted.length > 0)
      .sort((one, other) => one.job - other.job)
      .at(-1);
    const isOver = newest?.accepted.some(({ type }) => type === 'parked' || type === 'handed_over');
    const actions = github.runs.find(({ id }) => id === newest?.actions_run);
    if (newest && !isOver && actions && actions.status !== 'completed')
      broken.push(`R-5: job ${newest.job} of ${run} was given up while Actions run ${actions.id} worked`);
  }

  #listen = (listener: (what: Wake) => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #announce(what: Wake): void {
    const { world, desks } = this.hub;
    for (const desk of desks) {
      if (world.faults.happens('wake-up lost', 0.02)) continue;
      const { process } = desk;
      world.after(world.random.between(0, 20), () =>
        world.whenAwake(process, () => world.as(process, () => desk.wake(what))),
      );
    }
  }

  /** Trouble comes where it hurts: in the middle of what a desk does. */
  #mayFail(method: string): void {
    const { world } = this.hub;
    const isWrite = WRITES.has(method);
    if (world.faults.happens(`crash before ${method}`, isWrite ? 0.015 : 0.003)) {
      this.crash();
      this.#restartAfter(world.random.between(500, 40_000));
    }
  }

  #restartAfter(ms: number): void {
    this.hub.world.after(ms, () => this.process.dead && this.start());
  }

  #callGitHub(process: Process, method: string, args: readonly unknown[]): Promise<unknown> {
    const { world } = this.hub;
    return new Promise((resolve, reject) => {
      if (process.dead) return;
      this.#mayFail(method);
      world.whenAwake(process, () => this.#send(process, method, args, resolve, reject));
    });
  }

  #send(
    process: Process,
    method: string,
    args: readonly unknown[],
    resolve: (result: unknown) => void,
    reject: (error: unknown) => void,
  ): unknown {
    const { world, github } = this.hub;
    const about = `${this.name} → GitHub.${method}(${describe(args)})`;
    const answer = (ms: number, act: () => void) => world.after(ms, () => world.whenAwake(process, act));
    const fail = (ms: number, why: string, details: { status: number; retryAfter?: number }) =>
      answer(ms, () => {
        world.log(`${about} FAILS: ${why}`);
        reject(new GitHubError(why, details));
      });
    const travel = world.random.between(20, 400);
    const { outage } = this.hub;
    if (outage && world.now < outage.until) return fail(travel, `outage (${outage.status})`, { ...outage });
    const { faults } = world;
    if (faults.happens(`5xx before ${method}`, 0.02)) return fail(travel, '502 before', { status: 502 });
    if (faults.happens(`timeout before ${method}`, 0.01))
      return fail(CALL_MS, 'no connection', { status: 0 });
    if (faults.happens(`429 ${method}`, 0.01))
      return fail(travel, '429', { status: 429, retryAfter: world.random.between(1, 60) });
    if (faults.happens(`limit ${method}`, 0.005))
      return fail(travel, '403 with a limit', { status: 403, retryAfter: world.random.between(1, 120) });
    if (faults.happens(`403 ${method}`, 0.004)) return fail(travel, '403', { status: 403 });
    const isLate = faults.happens(`late ${method}`, 0.03);
    world.after(isLate ? world.random.between(1_000, CALL_MS - 500) : travel, () => {
      let result: unknown;
      try {
        const act = github.api()[method] as ((...args: readonly unknown[]) => unknown) | undefined;
        if (!act) {
          this.hub.broken.push(`the fake GitHub has no ${method}`);
          throw new Error(`GitHub has no ${method}.`);
        }
        result = act(...args);
      } catch (error) {
        world.log(`${about} THROWS ${error}`);
        return answer(20, () => reject(error));
      }
      if (WRITES.has(method)) {
        github.writes.push({ at: world.now, method, args });
        world.log(about);
      }
      if (faults.happens(`crash after ${method}`, WRITES.has(method) ? 0.015 : 0.002) && !process.dead) {
        this.crash();
        return this.#restartAfter(world.random.between(500, 40_000));
      }
      if (faults.happens(`stall in ${method}`, WRITES.has(method) ? 0.01 : 0.003))
        this.stall(world.random.between(500, 60_000));
      if (faults.happens(`response of ${method} lost`, 0.03))
        return fail(world.random.between(10, 500), 'the response was lost', { status: 0 });
      answer(world.random.between(5, 200), () => resolve(result));
    });
  }
}

type Handler = (context: { id: string; payload: unknown }) => Promise<void>;

/** What the App registers with Probot, by event and action. */
function handlersOf(deps: AppDependencies): Map<string, Handler[]> {
  const handlers = new Map<string, Handler[]>();
  const app = {
    on(events: string | string[], handler: Handler) {
      for (const event of [events].flat()) handlers.set(event, [...(handlers.get(event) ?? []), handler]);
    },
  };
  autobuild(deps)(app as unknown as Probot);
  return handlers;
}

async function receive(handlers: Map<string, Handler[]>, { id, event, payload }: Delivery): Promise<void> {
  const parsed = JSON.parse(payload) as { action: string };
  for (const handler of handlers.get(`${event}.${parsed.action}`) ?? [])
    await handler({ id, payload: parsed });
}

function describe(args: readonly unknown[]): string {
  return args.map((arg) => JSON.stringify(arg)?.slice(0, 90)).join(', ');
}
