import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Hono } from 'hono';
import type { Probot } from 'probot';
import autobuild from '../../src/app/app.ts';
import { createBotOwnership } from '../../src/app/bot-ownership.ts';
import type { HostedDependencies } from '../../src/app/dependencies.ts';
import { createTicketJobs } from '../../src/app/ticket-jobs.ts';
import { startWorkers } from '../../src/app/workers/workers.ts';
import type { HostedStore, Wake } from '../../src/core/ports/hosted-store.ts';
import type { Delivery } from '../../src/core/ports/inbox.ts';
import { RULES } from '../../src/guards/rules.ts';
import { createCounters } from '../../src/web/counters.ts';
import { createIngest } from '../../src/web/ingest.ts';
import { createJobApi, type JobApiEnv } from '../../src/web/jobs/job-api.ts';
import type { Logger } from '../../src/web/log.ts';
import {
  APP_ID,
  type CallGitHub,
  connectGitHub,
  type FakeGitHub,
  INSTALLATION,
  LABEL,
  OWNER,
  REPO,
  REPO_ID,
  WRITES,
} from './fake-github.ts';
import type { JobRecord } from './job.ts';
import { checkAlone, checkGrace, checkOurs } from './judge-calls.ts';
import type { LaneWatch } from './lane-watch.ts';
import type { LeaseWatch } from './lease-watch.ts';
import { asked, type Limits, withinLimits } from './limits.ts';
import type { Process, World } from './world.ts';

/** A call to GitHub is given up after this time, well before the lease of a lane ends. */
const CALL_MS = 5_000;

/** a webhook is answered within this time, unless the store itself takes longer. */
const ANSWERED_MS = 1_000;
/** Rounds of the event loop that ingest waits for more webhooks, and some to spare: they take no virtual time. */
const INGEST_ROUNDS = 8;
const WEBHOOK_SECRET = 'a secret of the simulation';
/** Two desks decide at once more often if what they decided travels for long. */
const SLOW: Record<string, number> = { 'runs.commit': 0.1 };

/** Commits that another desk may be waiting for. */
const WAKES: Record<string, Wake> = {
  'runs.commit': 'outbox',
  'runs.write': 'outbox',
  'outbox.revive': 'outbox',
  'inbox.put': 'inbox',
};

const COMMENTS = new Set(['createComment', 'updateComment']);

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

/** What a desk writes when it answers somebody who meddled. */
const RESTORES = new Set(['runs.commit', 'comments.save', 'publications.change']);

export interface Hub {
  world: World;
  github: FakeGitHub;
  store: HostedStore;
  desks: Desk[];
  /** When each decision was committed, by `<run>.<version>`. */
  committedAt: Map<string, number>;
  /** When the reason was recorded for which the job of a dispatch is to end, by its operation. */
  condemnedAt: Map<string, number>;
  /** When the beginning and the end of a run were committed. */
  startedAt: Map<string, number>;
  endedAt: Map<string, number>;
  /** Inputs whose decision lost a race, until it is made again. */
  lostRaces: Map<unknown, { run: string; process: Process }>;
  /** Commands that were decided, by their source. */
  actedOn: Set<string>;
  /** Jobs say that nothing was counted so far, and that the work is done. */
  areLiars?: boolean;
  /** Jobs save what they have, and end before any turn. */
  areIdle?: boolean;
  /** Content that a fresh job verified. */
  verified: Set<string>;
  /** The same with the commit that it was verified on. */
  verifiedOn: Set<string>;
  /** Content that failed in a fresh job, with the tests that failed. */
  failed: Map<string, readonly string[]>;
  /** People review the pull request, so the agent gets there sooner. */
  isReviewed?: boolean;
  /** A job is silent for long once nothing fails any more, so that nothing else hides whether people see it. */
  hangsInCalm?: boolean;
  /** The answer of a round is made, and the response is lost: nothing else of a history makes the desk say it again. */
  losesSummary?: boolean;
  /** Somebody stops the run just when a job has left its work, or when it hangs. */
  onParked?(): void;
  onHang?(): void;
  /** Jobs that said something. */
  jobs: JobRecord[];
  /** Promises that were broken at a moment that leaves no trace. */
  broken: string[];
  lanes: LaneWatch;
  leases: LeaseWatch;
  limits: Limits;
  /** Until then, every job dies before it begins. */
  brokenUntil?: number;
  /** Set while GitHub refuses everything. */
  wasDown?: true;
  /** The trouble lasts as long as this outage. */
  isDownForLong?: true;
  outage?: { until: number; status: number; retryAfter?: number };
  /** Since then nothing fails any more. */
  calmAt?: number;
  /** Until then, GitHub refuses the App's comments. */
  refusedUntil?: number;
  /** Until then, GitHub refuses to start jobs. */
  dispatchesRefused?: { until: number; status: number };
  /** Somebody has just meddled. Until then, or until it happens, the desk that acts on it is likely to be killed. */
  killedUntil?: number;
}

type Changed = [op: string, change: { outcome?: string }];

interface Committed {
  ok: boolean;
  duplicate?: boolean;
  version?: number;
}

/** One server: the real workers, handlers and job API on a store and a GitHub that are messages away. */
export class Desk {
  readonly hub: Hub;
  readonly name: string;
  /** Its clock differs from the database's. */
  skewMs: number;
  process: Process;
  jobs!: Hono<JobApiEnv>;
  store!: HostedStore;
  #listeners = new Set<(what: Wake) => void>();
  #tokens = 0;
  #ingest!: ReturnType<typeof createIngest>;

  constructor(hub: Hub, name: string, skewMs: number) {
    this.hub = hub;
    this.name = name;
    this.skewMs = skewMs;
    this.process = { name, dead: true, stalledUntil: 0 };
  }

  start(): void {
    const { world } = this.hub;
    world.log(`${this.name}: starts`);
    const process: Process = { name: this.name, dead: false, stalledUntil: 0, isStarting: true };
    this.process = process;
    this.#listeners.clear();
    world.as(process, () => {
      const deps = this.#dependencies(process);
      const handlers = handlersOf(deps);
      this.store = deps.store;
      this.#ingest = createIngest({
        secret: WEBHOOK_SECRET,
        inbox: deps.store.inbox,
        now: deps.now,
        log: deps.log as Logger,
        counters: createCounters(),
      });
      this.jobs = createJobApi({
        store: deps.store,
        rules: RULES,
        log: deps.log as Logger,
        webUrl: deps.settings.webUrl,
        now: deps.now,
        closing: new AbortController().signal,
        readActionsRun: async (target, run) => (await deps.github(target)).workflowRun(run),
      });
      startWorkers(deps, (delivery) => receive(handlers, delivery));
    });
    process.isStarting = false;
  }

  crash(): void {
    this.hub.world.log(`${this.name}: CRASHES`);
    this.process.dead = true;
    this.hub.leases.killed(this.process, this.hub.world.now);
  }

  stall(ms: number): void {
    this.hub.world.log(`${this.name}: STALLS for ${ms} ms`);
    this.process.stalledUntil = this.hub.world.now + ms;
    hinder(this.process, this.process.stalledUntil);
    // Every other time its clock is set back meanwhile, if it was ahead.
    if (ms % 2 === 0) this.skewMs = -Math.abs(this.skewMs);
  }

  /** GitHub sends a webhook. */
  async ingest(id: string, event: string, payload: object, onStored: () => void): Promise<void> {
    const { process, hub } = this;
    if (process.dead) return;
    const sentAt = hub.world.now;
    const body = Buffer.from(JSON.stringify(payload));
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex');
    const headers = {
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-delivery': id,
      'x-github-event': event,
    };
    const request = Object.assign(Readable.from([body]), {
      ...{ method: 'POST', headers, complete: true, socket: {} },
    });
    const writeHead = (status: number) => {
      if (status === 202) onStored();
      else hub.world.log(`${this.name}: answers webhook ${id} with ${status}`);
      if (hub.world.now > Math.max(sentAt, process.hinderedUntil ?? 0) + ANSWERED_MS)
        hub.broken.push(`R-4: webhook ${id} was answered after ${hub.world.now - sentAt} ms`);
    };
    const response = { writeHead, end: () => undefined, destroyed: false };
    const [asked, answered] = [request as unknown as IncomingMessage, response as unknown as ServerResponse];
    void this.#ingest.handle(asked, answered, id);
    await ingestRounds();
  }

  wake(what: Wake): void {
    for (const listener of this.#listeners) listener(what);
  }

  #dependencies(process: Process): HostedDependencies {
    const { world } = this.hub;
    const log = {
      info: () => undefined,
      warn: (fields: object, message: string) =>
        world.log(`${this.name}: warns: ${message} ${JSON.stringify(fields)}`),
      error: (fields: object, message: string) =>
        world.log(`${this.name}: ERROR: ${message} ${JSON.stringify(fields)}`),
    };
    const call: CallGitHub = (method, args) => this.#callGitHub(process, method, args);
    const github = connectGitHub(withinLimits(world, this.hub.limits, process, call));
    const store = this.#reachStore(process);
    const randomToken = () => `${this.name}-${world.random.next()}-${this.#tokens++}`.padEnd(32, '-');
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    return {
      store,
      rules: RULES,
      agents: ['claude'],
      github: async () => github,
      repositories: async () => ({
        repositories: [
          { installation_id: INSTALLATION, owner: OWNER, repo: REPO, repo_id: REPO_ID, archived: false },
        ],
        unread: [],
      }),
      settings: {
        webUrl: 'https://github.test',
        label: LABEL,
        capabilities: { live: true, form: false },
      },
      jobs: createTicketJobs({ store, publicUrl: 'https://desk.test', randomToken, hash }),
      ownership: createBotOwnership({ appId: APP_ID, slug: 'autobuild' }),
      now: () => new Date(world.now + this.skewMs),
      monotonicMs: () => world.now,
      // Lost like everything that a desk has not stored, if it dies; reconcile looks again.
      later: (ms, work) => {
        if (!this.hub.isReviewed) return;
        const act = () => void world.as(process, () => work().catch(() => undefined));
        world.after(ms, () => world.whenAwake(process, act));
      },
      randomToken,
      hash,
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
          const isSlow = world.faults.happens('slow store', SLOW[name] ?? 0.03);
          const ms = isSlow ? world.random.between(50, 1_500) : world.random.between(0, 4);
          if (isSlow && name === 'inbox.put') hinder(process, world.now + ms);
          world.after(ms, () =>
            world.whenAwake(process, async () => {
              try {
                const result = await act(...args);
                this.hub.lanes.called(name, args, result, world.now);
                this.hub.leases.called(process, name, args, result, world.now);
                if (name === 'dispatches.change')
                  this.#noteChange(...(args as readonly unknown[] as Changed));
                if (name === 'runs.commit') this.#noteCommit(process, args, result as Committed);
                const what = WAKES[name];
                if (what) this.#announce(what);
                if (
                  CHANGES.has(name) &&
                  world.faults.happens(`crash after ${name}`, this.#isInDanger(name) ? 0.3 : 0.004) &&
                  !process.dead
                ) {
                  if (this.#isInDanger(name)) this.hub.killedUntil = undefined;
                  this.crash();
                  this.#restartAfter(world.random.between(500, 40_000));
                }
                if (world.faults.happens(`stall after ${name}`, CHANGES.has(name) ? 0.006 : 0.0005))
                  this.stall(world.random.between(500, 60_000));
                await world.whenAwake(process, () => {
                  resolve(result);
                  // The webhooks that came meanwhile are gathered next.
                  return name === 'inbox.put' ? ingestRounds() : undefined;
                });
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

  #noteCommit(process: Process, [id, , commit]: unknown[], { ok, duplicate, version }: Committed): void {
    const run = String(id);
    const { events, input, lockedOut } = commit as {
      lockedOut?: { op: string };
      events: { type: string; resumed?: true }[];
      input: { type: string; source?: string; at: string };
    };
    const { startedAt, endedAt, lostRaces, actedOn, world } = this.hub;
    if (!ok) {
      world.log(`${this.name}: a decision on ${run} lost its race`);
      return void lostRaces.set(input, { run, process });
    }
    lostRaces.delete(input);
    if (input.source !== undefined) actedOn.add(input.source);
    // Another desk committed it before.
    if (duplicate) return;
    this.hub.committedAt.set(`${run}.${version}`, world.now);
    if (lockedOut) this.hub.condemnedAt.set(lockedOut.op, world.now);
    if (!startedAt.has(run)) startedAt.set(run, world.now);
    if (events.some(({ type }) => type === 'run_finished') && !endedAt.has(run)) endedAt.set(run, world.now);
    if (events.some(({ type }) => type === 'revision_started')) endedAt.delete(run);
    // S-17: a job whose ticket somebody else used, too, is locked out while it works.
    const isTwice = input.type === 'ticket_claimed_twice';
    if (!isTwice && events.some(({ type, resumed }) => type === 'job_lost' && !resumed)) this.#checkLost(run);
  }

  #noteChange(...[op, { outcome }]: Changed): void {
    const { condemnedAt, world } = this.hub;
    if (outcome !== undefined && !condemnedAt.has(op)) condemnedAt.set(op, world.now);
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
    // A later attempt says nothing about the one that was lost.
    const works = actions && actions.status !== 'completed' && actions.attempt === newest?.attempt;
    if (newest && !isOver && works)
      broken.push(`R-5: job ${newest.job} of ${run} was given up while Actions run ${actions.id} worked`);
  }

  #isInDanger(name: string): boolean {
    const { killedUntil = 0, world } = this.hub;
    return world.now < killedUntil && RESTORES.has(name);
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

  /** work that is handed over was verified by a fresh job, was accepted by a person, or says that it was not verified. */
  #checkReady(node: string): void {
    const { github, verified, failed, broken } = this.hub;
    const pull = [...github.pulls.values()].find(({ node_id }) => node_id === node);
    const description = pull?.body ?? '';
    // Where no fresh job could verify it, the description begins with that.
    if (/Accepted as is by|\*\*Not verified: /.test(description)) return;
    const skipped = description.split('\n').filter((line) => line.includes('(skipped by '));
    const isSkipped = (test: string) => skipped.some((line) => line.includes(test));
    const files = github.commits.get(pull?.head_sha ?? '')?.files ?? [];
    const isGood = (content: string) => verified.has(content) || failed.get(content)?.every(isSkipped);
    if (!files.some(({ content }) => content !== null && isGood(content)))
      broken.push(`R-8: ${pull?.url} is ready with work that no fresh job verified`);
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
    const about = () => `${this.name} → GitHub.${method}(${describe(args)})`;
    const answer = (ms: number, act: () => void) => world.after(ms, () => world.whenAwake(process, act));
    const fail = (ms: number, why: string, details: { status: number; retryAfter?: number }) =>
      answer(ms, () => {
        world.log(`${about()} FAILS: ${why}`);
        const { retryAfter } = details;
        if (retryAfter !== undefined) this.hub.limits.refused(process, world.now + retryAfter * 1_000);
        reject(asked(world.now, why, details));
      });
    const travel = world.random.between(20, 400);
    const { outage } = this.hub;
    if (outage && world.now < outage.until) return fail(travel, `outage (${outage.status})`, { ...outage });
    const { faults } = world;
    if (COMMENTS.has(method) && world.now < (this.hub.refusedUntil ?? 0))
      return fail(travel, 'comments are refused', { status: 403 });
    const { dispatchesRefused: refused } = this.hub;
    if (method === 'dispatchWorkflow' && refused && world.now < refused.until)
      return fail(travel, `no job is started (${refused.status})`, { status: refused.status });
    if (faults.happens(`5xx before ${method}`, 0.02)) return fail(travel, '502 before', { status: 502 });
    if (faults.happens(`timeout before ${method}`, 0.01))
      return fail(CALL_MS, 'no connection', { status: 0 });
    if (faults.happens(`429 ${method}`, 0.01))
      return fail(travel, '429', { status: 429, retryAfter: world.random.between(1, 60) });
    if (faults.happens(`limit ${method}`, 0.005))
      return fail(travel, '403 with a limit', { status: 403, retryAfter: world.random.between(1, 120) });
    if (faults.happens(`403 ${method}`, 0.004)) return fail(travel, '403', { status: 403 });
    const isLate = faults.happens(`late ${method}`, 0.03);
    world.after(isLate ? world.random.between(1_000, CALL_MS - 500) : travel, async () => {
      if (method === 'dispatchWorkflow')
        await checkAlone(this.hub, process, args[2] as Record<string, string>);
      let result: unknown;
      try {
        const act = github.api[method] as ((...args: readonly unknown[]) => unknown) | undefined;
        if (!act) {
          this.hub.broken.push(`the fake GitHub has no ${method}`);
          throw new Error(`GitHub has no ${method}.`);
        }
        result = act(...args);
      } catch (error) {
        world.log(`${about()} THROWS ${error}`);
        return answer(20, () => reject(error));
      }
      if (WRITES.has(method)) {
        github.writes.push({ at: world.now, method, args });
        world.log(about());
        if (method === 'markReady') this.#checkReady(String(args[0]));
        if (method === 'updateComment') checkOurs(this.hub, Number(args[0]));
        if (method === 'cancelRun') checkGrace(this.hub, Number(args[0]));
      } else if (result !== undefined && result !== 'unchanged') github.counted += 1;
      if (faults.happens(`crash after ${method}`, WRITES.has(method) ? 0.015 : 0.002) && !process.dead) {
        this.crash();
        return this.#restartAfter(world.random.between(500, 40_000));
      }
      if (faults.happens(`stall in ${method}`, WRITES.has(method) ? 0.01 : 0.003))
        this.stall(world.random.between(500, 60_000));
      if (faults.happens(`response of ${method} lost`, 0.03))
        return fail(world.random.between(10, 500), 'the response was lost', { status: 0 });
      if (method === 'submitReview' && this.hub.losesSummary) {
        this.hub.losesSummary = false;
        return fail(100, 'the response was lost although nothing fails', { status: 0 });
      }
      answer(world.random.between(5, 200), () => resolve(result));
    });
  }
}

async function ingestRounds(): Promise<void> {
  for (let round = 0; round < INGEST_ROUNDS; round += 1)
    await new Promise((resolve) => setImmediate(resolve));
}

function hinder(process: Process, until: number): void {
  process.hinderedUntil = Math.max(process.hinderedUntil ?? 0, until);
}

type Handler = (context: { id: string; payload: unknown }) => Promise<void>;

/** What the App registers with Probot, by event and action. */
function handlersOf(deps: HostedDependencies): Map<string, Handler[]> {
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
  const parsed = JSON.parse(payload) as { action?: string };
  const name = parsed.action === undefined ? event : `${event}.${parsed.action}`;
  for (const handler of handlers.get(name) ?? []) await handler({ id, payload: parsed });
}

function describe(args: readonly unknown[]): string {
  return args.map((arg) => JSON.stringify(arg)?.slice(0, 90)).join(', ');
}
