import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { Input } from '../src/core/contracts/input.ts';
import { decide } from '../src/core/decide/decide.ts';
import type { HostedStore } from '../src/core/ports/hosted-store.ts';
import { RULES } from '../src/guards/rules.ts';
import { createCounters } from '../src/web/counters.ts';
import { createIngest } from '../src/web/ingest.ts';
import { createJobApi } from '../src/web/jobs/job-api.ts';
import { createTicket, hashToken } from '../src/web/jobs/tokens.ts';
import { createLog } from '../src/web/log.ts';
import { createWebServer } from '../src/web/server.ts';
import { CHILD_ENV } from './bench-agent.ts';
import { SAMPLE_RUN, sampleRequest } from './sample-run.ts';

const HOUR_MS = 3_600_000;
const ACTION = join(import.meta.dirname, '../src/action.ts');
const now = () => new Date();

/** The desk's side of a job: its API on loopback. */
export async function startDesk(store: HostedStore): Promise<{ port: number; close(): Promise<void> }> {
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
    jobs: createJobApi({
      store,
      rules: RULES,
      log,
      webUrl: 'https://github.com',
      now,
      closing: closing.signal,
      readActionsRun: async () => ({ attempt: 1, status: 'in_progress' }),
    }),
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

/** A checkout, a run that is asked for, and the action at work on it. */
export async function startJob(store: HostedStore, folder: string, deskPort: number, agent: string[]) {
  const worktree = join(folder, 'work');
  const temporary = join(folder, 't');
  for (const made of [join(worktree, '.github'), temporary]) mkdirSync(made, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], {
      cwd: worktree,
      encoding: 'utf8',
    });
  const config = { agents: { bench: { command: agent } }, limits: { hold_minutes: 60 } };
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
  const dispatch = await store.dispatches.ofJob(SAMPLE_RUN, 1, 'build');
  if (!dispatch) throw new Error('The sample run asks for no job.');
  await store.tickets.add({ hash: hashToken(ticket), op: dispatch.op, expires_at });
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
  const closed = once(child, 'close');
  const ended = closed.then(() => {
    throw new Error(`The job ended: ${output.slice(-2_000)}`);
  });
  ended.catch(() => undefined);
  return { worktree, closed, ended, interrupt: () => child.kill('SIGINT') };
}
