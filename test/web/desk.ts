import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Permission } from '../../src/core/contracts/role.ts';
import { verificationName } from '../../src/core/contracts/run-state.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import type { RunTarget } from '../../src/core/ports/run-target.ts';
import { RULES } from '../../src/guards/rules.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createCounters } from '../../src/web/counters.ts';
import { createIngest, type IngestDependencies } from '../../src/web/ingest.ts';
import { createJobApi } from '../../src/web/jobs/job-api.ts';
import type { JobApiDependencies } from '../../src/web/jobs/job-api-dependencies.ts';
import { createTicket, hashToken } from '../../src/web/jobs/tokens.ts';
import { createLog } from '../../src/web/log.ts';
import { createOperate, type WorkerHealth } from '../../src/web/operate.ts';
import { createPeople } from '../../src/web/people.ts';
import { createWebServer, type WebServerDependencies } from '../../src/web/server.ts';
import { type Run, startRun } from '../core/run-builder.ts';

export const SECRET = 'a secret that nobody can guess';
export const PUBLIC_URL = 'https://autobuild.example.com';
export const START = Date.UTC(2026, 10, 16, 10, 0, 0);

export const TARGET: RunTarget = {
  installation_id: 5,
  owner: 'rosa',
  repo: 'shop',
  repo_id: 77,
  issue: 7,
  default_branch: 'main',
  head_sha: 'a'.repeat(40),
  private: false,
  workflow: 'autobuild.yml',
  ci: 'skip',
  labelled_by: 'rosa',
};

export interface TestDesk {
  url: string;
  port: number;
  store: HostedStore;
  /** Everything that was logged so far. */
  logged(): string;
  /** The desk's clock, in milliseconds. */
  clock: { ms: number };
  workers: WorkerHealth[];
  closing: AbortController;
  /** What `permission` answers; an error is thrown. */
  people: Record<string, Permission | Error>;
  /** At which attempt GitHub says that an Actions run is, and in which state if not in progress; an error is thrown. */
  attempts: Record<number, number | string | Error | undefined>;
  actionsRun(id: number): { attempt: number; status: string } | undefined;
  seed(run: Run, target?: Partial<RunTarget>): Promise<void>;
  /** A ticket for the newest dispatch of the job. Where nothing was decided to start it, there is a dispatch all the same. */
  ticket(parts?: {
    run?: string;
    job?: number;
    kind?: 'build' | 'verify';
    minutes?: number;
  }): Promise<string>;
  /** Stops and starts the server at the same port, on the same store. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface TestDeskOptions {
  /** The address that pages are made for. A browser keeps their cookies only if it is where they come from. */
  publicUrl?: string;
  port?: number;
  people?: Partial<Parameters<typeof createPeople>[0]>;
  ingest?: Partial<IngestDependencies>;
  jobs?: Partial<JobApiDependencies>;
  timeouts?: WebServerDependencies['timeouts'];
}

/** The whole web side of a desk on loopback, with a real store in a real file. */
export async function openTestDesk(options: TestDeskOptions = {}): Promise<TestDesk> {
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-web-'));
  const key = randomBytes(32).toString('base64');
  const clock = { ms: START };
  const file = join(directory, 'desk.db');
  const store = await openSqliteStore({ file, key, clock: () => clock.ms });
  let text = '';
  const log = createLog('debug', {
    write(line) {
      text += line;
    },
  });
  const now = () => new Date(clock.ms);
  const counters = createCounters();
  const workers: WorkerHealth[] = [{ name: 'inbox', alive: true }];
  const people: TestDesk['people'] = {};
  const common = { store, rules: RULES, log, now };
  let web: ReturnType<typeof createWebServer> | undefined;

  /** Beside the store, because a commit would be a decision of the run. */
  const addDispatch = async (run: string, job: number, kind: 'build' | 'verify'): Promise<string> => {
    const { state } = await store.runs.load(run);
    const verification = kind === 'verify' && state ? verificationName(state) : null;
    const op = `${run}.test.${job}-${kind}`;
    const database = new DatabaseSync(file);
    database
      .prepare(
        'insert into dispatches (op, run, job, kind, verification, decided_ms) values (?, ?, ?, ?, ?, ?)',
      )
      .run(op, run, job, kind, verification, clock.ms);
    database.close();
    return op;
  };

  const desk: TestDesk = {
    url: '',
    port: options.port ?? 0,
    store,
    logged: () => text,
    clock,
    workers,
    people,
    attempts: {},
    actionsRun(id) {
      const found = id in desk.attempts ? desk.attempts[id] : 1;
      if (found instanceof Error) throw found;
      if (found === undefined) return undefined;
      return typeof found === 'number'
        ? { attempt: found, status: 'in_progress' }
        : { attempt: 1, status: found };
    },
    closing: new AbortController(),
    async seed(run, changes) {
      for (const [version, commit] of run.commits.entries()) {
        const target = version === 0 ? { ...TARGET, ...changes } : undefined;
        const done = await store.runs.commit(run.state.run, version, { ...commit, target });
        if (!done.ok) throw new Error(`commit ${version} was refused`);
      }
    },
    async ticket({ run = 'r1', job = 1, kind = 'build', minutes = 60 } = {}) {
      const ticket = createTicket();
      const expires_at = new Date(clock.ms + minutes * 60_000).toISOString();
      const decided = await store.dispatches.ofJob(run, job, kind);
      const op = decided?.op ?? (await addDispatch(run, job, kind));
      await store.tickets.add({ hash: hashToken(ticket), op, expires_at });
      return ticket;
    },
    async start() {
      desk.closing = new AbortController();
      web = createWebServer({
        log,
        timeouts: options.timeouts,
        ingest: createIngest({ secret: SECRET, inbox: store.inbox, now, log, counters, ...options.ingest }),
        jobs: createJobApi({
          ...common,
          webUrl: 'https://github.com',
          readActionsRun: async (_place, actionsRun) => desk.actionsRun(actionsRun),
          closing: desk.closing.signal,
          ...options.jobs,
        }),
        ...createPeople({
          ...common,
          publicUrl: options.publicUrl ?? PUBLIC_URL,
          webUrl: 'https://github.com',
          keys: key,
          closing: desk.closing.signal,
          signIn: {
            authorizeUrl: ({ state, challenge, redirect }) =>
              `https://github.com/login/oauth/authorize?${new URLSearchParams({ state, challenge, redirect })}`,
            // The code is the login, so that a test can sign in anybody.
            exchange: async ({ code }) => (code === 'bad' ? undefined : code),
            checkToken: async (token) => /^user-(.+)$/.exec(token)?.[1],
          },
          withDiffs: async ({ pending }) => pending,
          ...options.people,
          async permission(_place, login) {
            const found = people[login] ?? 'none';
            if (found instanceof Error) throw found;
            return found;
          },
        }),
        operate: createOperate({ store, counters, workers: () => workers, now }),
      });
      desk.port = await web.listen(desk.port, '127.0.0.1');
      desk.url = `http://127.0.0.1:${desk.port}`;
    },
    async stop() {
      desk.closing.abort();
      await web?.close(200);
    },
    async close() {
      await desk.stop();
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await desk.start();
  return desk;
}

/** A run whose job is at work in turn 1, and asks for these values. */
export function askingRun(...keys: string[]): Run {
  return startRun()
    .beginTurn()
    .askForHelp(keys.map((key) => ({ key, label: key })));
}
