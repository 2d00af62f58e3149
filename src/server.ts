import { existsSync, readFileSync } from 'node:fs';
import { pino } from 'pino';
import { Probot, ProbotOctokit } from 'probot';
import { agentNames } from './agents/registry.ts';
import autobuild from './app/app.ts';
import { createBotOwnership } from './app/bot-ownership.ts';
import type { HostedDependencies, Repository } from './app/dependencies.ts';
import { withDiffs } from './app/effects/work-diffs.ts';
import { lookForSecrets } from './app/handlers/handle-command.ts';
import { createTicketJobs } from './app/ticket-jobs.ts';
import { startWorkers } from './app/workers/workers.ts';
import { UserError } from './core/error-catalogue.ts';
import { inTime } from './core/in-time.ts';
import type { HostedStore } from './core/ports/hosted-store.ts';
import type { Delivery } from './core/ports/inbox.ts';
import { createAppDeliveries } from './github/app-deliveries.ts';
import { createAppSlug } from './github/app-slug.ts';
import { type Budgets, createBudgets } from './github/client/budget.ts';
import { failOnRateLimits } from './github/client/octokit-defaults.ts';
import { repeatFailed } from './github/client/repeat-failed.ts';
import { createTimedFetch } from './github/client/timed-fetch.ts';
import { createGitHub } from './github/github.ts';
import { readInstallationStatus } from './github/installation-status.ts';
import { listRepositories } from './github/list-repositories.ts';
import { createGitHubSignIn } from './github/sign-in.ts';
import { RULES } from './guards/rules.ts';
import { serveSetUp } from './register/setup-server.ts';
import { explainUnopened } from './store/explain-unopened.ts';
import { openStore } from './store/open-store.ts';
import { holdServerLock } from './store/server-lock.ts';
import { createCounters } from './web/counters.ts';
import { createIngest } from './web/ingest.ts';
import { createJobApi } from './web/jobs/job-api.ts';
import { createTicket, hashToken } from './web/jobs/tokens.ts';
import { createLog, type Logger } from './web/log.ts';
import { createOperate } from './web/operate.ts';
import { createPeople } from './web/people.ts';
import { readSettings, readSetUp, type Settings } from './web/read-settings.ts';
import { createWebServer } from './web/server.ts';

type Opened = Awaited<ReturnType<typeof open>>;

/** Together the ten seconds after which a container is killed. */
const STOP_MS = 9_000;
const CLOSE_MS = 1_000;
const now = () => new Date();
const monotonicMs = () => performance.now();
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The hosted desk: serves until it is stopped, and starts until then if it has not begun to serve. */
async function serve(settings: Settings, stopped: Promise<unknown>): Promise<void> {
  const log = createLog(settings.logLevel, pino.destination({ fd: 1, sync: true }));
  void stopped.then(() => log.info('autobuild stops'));
  const opened = await Promise.race([open(settings, log), stopped.then(() => undefined)]);
  if (opened) await serveUntil(stopped, { settings, log, ...opened });
  log.info('autobuild has stopped');
}

/**
 * All that the start waits for. A signal does not wait for it, and the process ends in the middle of it, so the database is
 * changed in transactions only: one that is not committed then is rolled back, and the next start makes it again.
 */
async function open(settings: Settings, log: Logger) {
  const where = { databaseUrl: settings.databaseUrl, file: settings.databaseFile };
  const { store, lock } = await openOwnStore(where, settings.keys).catch((error: unknown) => {
    throw explainUnopened(error, where);
  });
  const probot = createProbot(settings, log);
  await probot.ready();
  return { store, lock, probot };
}

/** Creates the dependencies, and stops what it has started. */
async function serveUntil(
  stopped: Promise<unknown>,
  { settings, log, store, lock, probot }: { settings: Settings; log: Logger } & Opened,
): Promise<void> {
  const counters = createCounters();
  const budgets = createBudgets(Date.now);
  const slug = createAppSlug(
    () => probot.auth(),
    Date.now,
    (error) => log.warn({ error: String(error) }, 'the name of the App could not be read'),
  );
  slug();
  const deps = createAppDependencies(settings, { store, probot, log, counters, budgets, slug });
  await probot.load(autobuild(deps));
  const workers = startWorkers(deps, ({ id, event, payload }: Delivery) =>
    probot.receive({ id, name: event, payload: JSON.parse(payload) } as Parameters<Probot['receive']>[0]),
  );

  const closing = new AbortController();
  const common = { store, rules: RULES, log, now };
  const web = createWebServer({
    log,
    ingest: createIngest({
      secret: settings.webhookSecret,
      inbox: store.inbox,
      now,
      log,
      counters,
      // PostgreSQL would store two batches by two connections, in either order.
      limits: { batchesAtOnce: settings.databaseUrl ? 1 : 2 },
    }),
    jobs: createJobApi({
      ...common,
      webUrl: settings.webUrl,
      closing: closing.signal,
      readActionsRun: async (target, actionsRun) => (await deps.github(target)).workflowRun(actionsRun),
    }),
    ...createPeople({
      ...common,
      ...settings,
      signIn:
        settings.oauth && createGitHubSignIn({ ...settings, ...settings.oauth, fetch: createTimedFetch() }),
      permission: async (target, login) => (await deps.github(target)).permission(login),
      withDiffs: async ({ target, state, pending }, most) =>
        withDiffs({ deps, github: await deps.github(target), state, target }, pending, most),
      actionsSecrets: async (run, command) => {
        const target = await store.runs.target(run);
        return target && lookForSecrets(deps, await deps.github(target), { run }, command);
      },
      closing: closing.signal,
    }),
    operate: createOperate({
      store,
      counters,
      budgets: () => budgets.all(),
      workers: () => [{ name: 'queues', alive: workers.alive() }],
      now,
    }),
  });
  const port = await web.listen(settings.port, settings.host);
  log.info({ port, url: settings.publicUrl, app_id: settings.appId }, 'autobuild serves');

  await stopped;
  closing.abort();
  // Work that does not end in time is released when its lease expires, and the next start continues it.
  const late = () => log.warn('some work did not end in time and is left to the next start');
  await Promise.all([web.close(STOP_MS), atMost(STOP_MS, workers.stop(), late)]);
  await atMost(CLOSE_MS, store.close(), () => log.warn('the database did not answer any more'));
  lock?.release();
}

/** `AbortSignal.timeout` alone would not keep the process alive for so long, and what is done afterwards would not be done. */
async function atMost(ms: number, work: Promise<void>, late: () => void): Promise<void> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  await inTime(work, limit.signal, late);
  clearTimeout(timer);
}

/** Opens the store; one in a file is for this server alone. */
async function openOwnStore(where: { databaseUrl?: string; file?: string }, key: string) {
  const lock = where.file === undefined ? undefined : holdServerLock(where.file);
  return { store: await openStore({ ...where, key }), lock };
}

export function createProbot(settings: Settings, log: Logger): Probot {
  return new Probot({
    appId: settings.appId,
    privateKey: settings.privateKey,
    secret: settings.webhookSecret,
    baseUrl: settings.apiUrl,
    Octokit: ProbotOctokit.plugin(repeatFailed({ monotonicMs, sleep })).defaults(failOnRateLimits),
    request: { fetch: createTimedFetch() },
    log: log.child({ name: 'probot' }),
  });
}

export function createAppDependencies(
  { appId, publicUrl, webUrl, label, notifyUrl, oauth }: Settings,
  {
    store,
    probot,
    log,
    counters,
    budgets,
    slug,
  }: {
    store: HostedStore;
    probot: Probot;
    log: Logger;
    counters?: HostedDependencies['counters'];
    budgets?: Budgets;
    slug?: () => string | undefined;
  },
): HostedDependencies {
  return {
    store,
    rules: RULES,
    agents: agentNames(),
    now,
    monotonicMs,
    log,
    settings: {
      ...{ webUrl, label, notifyUrl },
      // Comments link to the pages only if people can sign in there.
      pagesUrl: oauth && publicUrl,
      capabilities: { live: true, form: oauth !== undefined },
    },
    jobs: createTicketJobs({ store, publicUrl, randomToken: createTicket, hash: hashToken }),
    ownership: createBotOwnership({
      appId,
      get slug() {
        return slug?.();
      },
    }),
    github: async ({ installation_id, owner, repo }: Repository, mayWrite) =>
      createGitHub(await probot.auth(installation_id), {
        ...{ owner, repo, appId, mayWrite },
        budget: budgets?.of(installation_id),
      }),
    budget: (installation_id) => budgets?.of(installation_id).left('core'),
    repositories: async () =>
      listRepositories(
        await probot.auth(),
        (id) => probot.auth(id),
        (id) => budgets?.of(id),
      ),
    deliveries: createAppDeliveries(() => probot.auth()),
    installation: async (id) => readInstallationStatus(await probot.auth(), id),
    counters,
    // Nothing waits for it when the server stops, because reconcile looks after the same.
    later: (ms, work) => {
      const warn = (error: unknown) => log.warn({ error: String(error) }, 'looking again failed');
      setTimeout(() => void work().catch(warn), ms).unref();
    },
    randomToken: createTicket,
    hash: hashToken,
    fetch: (url, init) => fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(STOP_MS) }),
  };
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}

/** Reads the environment and serves until a signal. */
export async function main(): Promise<void> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const stopped = nextSignal();
    const setUp = readSetUp(process.env);
    if (setUp) {
      const print = (line: string) => void process.stdout.write(`${line}\n`);
      if (!(await serveSetUp(setUp, { file: '.env', print, stopped }))) process.exit(0);
      process.loadEnvFile('.env');
    }
    const settings = readSettings(process.env, (path) => readFileSync(path, 'utf8'));
    // A second signal exits without waiting.
    void stopped.then(nextSignal).then(() => process.exit(1));
    await serve(settings, stopped);
    // Work that did not end in time must not keep the process alive.
    process.exit(0);
  } catch (error) {
    const text =
      error instanceof UserError
        ? `${error.message}\n${error.remedy}`
        : ((error as Error).stack ?? String(error));
    process.stderr.write(`${text}\n`);
    process.exit(1);
  }
}

if (import.meta.main) await main();
