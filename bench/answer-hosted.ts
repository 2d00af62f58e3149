import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Hono } from 'hono';
import type { Input } from '../src/core/contracts/input.ts';
import { decide } from '../src/core/decide/decide.ts';
import { decideOnce } from '../src/core/decide/decide-once.ts';
import type { HostedStore } from '../src/core/ports/hosted-ports.ts';
import { RULES } from '../src/guards/rules.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { createCounters } from '../src/web/counters.ts';
import { createIngest } from '../src/web/ingest.ts';
import { createJobApi } from '../src/web/job-api.ts';
import { createLog } from '../src/web/log.ts';
import { createWebServer } from '../src/web/server.ts';
import { createTicket, hashToken } from '../src/web/tokens.ts';
import { CHILD_ENV, childArgv } from './bench-agent.ts';
import type { Figure } from './figure.ts';
import { SAMPLE_RUN, sampleRequest } from './sample-run.ts';
import { withScratchDirectory } from './scratch-directory.ts';
import { percentile, summarize } from './statistics.ts';

const ROUNDS = 40;
const HOUR_MS = 3_600_000;
const ACTION = join(import.meta.dirname, '../src/action.ts');
const now = () => new Date();

/**
 * Measures the whole path: the desk's commit, its job API over loopback, the real action as the job, the frozen agent.
 */
export const answerHosted: Figure = {
  id: 'answer-hosted',
  title: 'answer accepted by the desk → frozen agent of a job running with it, p99',
  bar: 200,
  unit: 'ms',
  better: 'lower',
  measure: () =>
    withScratchDirectory(async (folder) => {
      const store = await openSqliteStore({
        file: join(folder, 'desk.db'),
        key: randomBytes(32).toString('base64'),
      });
      const heard = await listen();
      const desk = await startDesk(store);
      const job = await startJob(store, folder, desk.port, heard.port);
      try {
        const timings: number[] = [];
        for (let round = 1; round <= ROUNDS; round += 1) {
          const escalation = await frozenQuestion(store, round, job.ended);
          const value = { ref: await store.vault.put(SAMPLE_RUN, `value_${round}`, 'given'), length: 5 };
          const input: Input = {
            type: 'command',
            at: now().toISOString(),
            command: { name: 'provide', inputs: { [`value_${round}`]: value } },
            by: 'bench',
            via: 'comment',
            escalation,
          };
          await decideOnce(store.runs, RULES, SAMPLE_RUN, input, [`bench:${round}`]);
          const accepted = process.hrtime.bigint();
          timings.push(Number((await heard.next()) - accepted) / 1e6);
        }
        return { value: percentile(timings, 0.99), detail: summarize(timings) };
      } finally {
        job.kill();
        await job.ended.catch(() => undefined);
        await desk.close();
        heard.close();
        await store.close();
      }
    }),
};

async function startDesk(store: HostedStore): Promise<{ port: number; close(): Promise<void> }> {
  const log = createLog('silent', { write: () => undefined });
  const closing = new AbortController();
  const web = createWebServer({
    log,
    ingest: createIngest({
      secret: createTicket(),
      inbox: store.inbox,
      now,
      log,
      counters: createCounters(),
    }),
    jobs: createJobApi({ store, rules: RULES, log, now, closing: closing.signal, attemptOf: async () => 1 }),
    runs: new Hono(),
    operate: new Hono(),
  });
  const port = await web.listen(0, '127.0.0.1');
  return {
    port,
    async close() {
      closing.abort();
      await web.close(1_000);
    },
  };
}

/** Creates a checkout and a requested run, and starts the action on it. */
async function startJob(store: HostedStore, folder: string, deskPort: number, heardPort: number) {
  const worktree = join(folder, 'work');
  const temporary = join(folder, 't');
  for (const made of [join(worktree, '.github'), temporary]) mkdirSync(made, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], {
      cwd: worktree,
      encoding: 'utf8',
    });
  const command = childArgv('ask-again.ts', String(heardPort), String(ROUNDS));
  const config = { agents: { bench: { command } }, limits: { hold_minutes: 60 } };
  writeFileSync(join(worktree, '.github/autobuild.yml'), JSON.stringify(config));
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'begin');
  const head_sha = git('rev-parse', 'HEAD').trim();

  const request = { ...sampleRequest(), checks: ['true'] } as Input;
  const target = {
    installation_id: 1,
    owner: 'bench',
    repo: 'bench',
    repo_id: 1,
    issue: 1,
    default_branch: 'main',
    head_sha,
    private: false,
    workflow: 'autobuild.yml',
    ci: 'skip' as const,
    labelled_by: 'bench',
  };
  await store.runs.commit(SAMPLE_RUN, 0, { input: request, ...decide(undefined, request, RULES), target });
  const ticket = createTicket();
  const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
  await store.tokens.addTicket({
    hash: hashToken(ticket),
    run: SAMPLE_RUN,
    job: 1,
    kind: 'build',
    expires_at,
  });
  const event = join(folder, 'event.json');
  const desk = `http://127.0.0.1:${deskPort}`;
  const inputs = { ticket, desk, kind: 'build', head_sha, issue: '1', operation: 'bench.1.0' };
  writeFileSync(event, JSON.stringify({ inputs }));
  const child = spawn(process.execPath, [ACTION], {
    cwd: worktree,
    env: {
      ...CHILD_ENV,
      HOME: folder,
      TMPDIR: temporary,
      RUNNER_TEMP: temporary,
      GITHUB_WORKSPACE: worktree,
      GITHUB_RUN_ID: '1',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_EVENT_PATH: event,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  const ended = once(child, 'close').then(() => {
    throw new Error(`The job ended: ${output.slice(-2_000)}`);
  });
  ended.catch(() => undefined);
  return { ended, kill: () => child.kill('SIGINT') };
}

/** Waits until the question with that number is open and its agent is stopped. */
async function frozenQuestion(store: HostedStore, number: number, jobEnded: Promise<never>): Promise<string> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      const stop = store.onWake(() => {
        stop();
        resolve();
      });
    });
    const { state } = await store.runs.load(SAMPLE_RUN);
    const asked = state?.escalations[number - 1];
    const events = asked ? await store.runs.events(SAMPLE_RUN) : [];
    const frozen = events.some(({ commit }) =>
      commit.events.some((event) => event.type === 'agent_frozen' && event.escalation === asked?.id),
    );
    if (asked && frozen) return asked.id;
    await Promise.race([changed, jobEnded]);
  }
}

/** Receives a line from the agent for each value, with the time at which it was read. */
async function listen(): Promise<{ port: number; next(): Promise<bigint>; close(): void }> {
  const server = createServer();
  const connected = once(server, 'connection');
  const lines = (async function* () {
    const [socket] = await connected;
    yield* createInterface({ input: socket });
  })();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error('The agent has hung up.');
      return BigInt(value);
    },
    close: () => void server.close(),
  };
}
