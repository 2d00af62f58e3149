import { randomBytes, randomUUID } from 'node:crypto';
import type { Probot } from 'probot';
import autobuild from '../../src/app/app.ts';
import type { HostedDependencies } from '../../src/app/dependencies.ts';
import { performEffect } from '../../src/app/effects/perform-effect.ts';
import { onWorkflowRunCompleted } from '../../src/app/handlers/workflow-run-completed.ts';
import { newestLabelled } from '../../src/app/labelling.ts';
import { reconcile } from '../../src/app/reconcile/reconcile.ts';
import { watchJobs } from '../../src/app/workers/watch-jobs.ts';
import { workLane } from '../../src/app/workers/work-lane.ts';
import { fireTimers } from '../../src/app/workers/workers.ts';
import type { Outgoing } from '../../src/core/contracts/effect.ts';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import type { Dispatch } from '../../src/core/ports/dispatches.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import type { JobKind } from '../../src/core/ports/job-api.ts';
import type { RunTarget } from '../../src/core/ports/run-target.ts';
import { keepFields, WEBHOOK_FIELDS } from '../../src/core/ports/webhook-fields.ts';
import type { RunningJob } from '../../src/sandbox/actions/job.ts';
import type { Answer, Call } from '../../src/sandbox/github/gap.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/sandbox/github.ts';
import { createPerson, type Person } from '../../src/sandbox/person.ts';
import { createAppDependencies, createProbot } from '../../src/server.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createLog } from '../../src/web/log.ts';
import type { Settings } from '../../src/web/read-settings.ts';
import { type Run, type RunOptions, startRun } from '../core/run-builder.ts';

const MOST_STEPS = 500;
const HOUR_MS = 3_600_000;
/** The Actions run of a seeded run whose job is at work. */
export const SEEDED_ACTIONS_RUN = 4_000_001;

export interface AppDeskOptions {
  /** `.github/autobuild.yml` of the repository; a good one when left out. */
  config?: string;
  settings?: Partial<Settings>;
  /** What the App is made of, other than usual. */
  deps?: Partial<HostedDependencies>;
}

/**
 * The App in this process, with a real store and a clock of the test, before the local GitHub. Nothing happens by itself:
 * `settle` handles what was sent and writes what was decided. Jobs are dispatched and do nothing.
 */
export interface AppDesk {
  github: LocalGitHub;
  deps: HostedDependencies;
  store: HostedStore;
  clock: { ms: number };
  /** Every request to GitHub with its answer. */
  exchanges: { call: Call; answer: Answer }[];
  olivia: Person;
  person(login: string): Person;
  logged(): string;
  /** What GitHub says from now on, where it says something. */
  interfere(mood: (call: Call) => Answer | undefined): void;
  /** A webhook that the local GitHub does not send. */
  receive(event: string, payload: object, id?: string): Promise<void>;
  /** Webhooks that come from now on are lost; asked again, they come. */
  loseWebhooks(lost: boolean): void;
  /** Webhooks, effects and timers, until nothing is left to do. */
  settle(): Promise<void>;
  /** Does all that was put off for some seconds, and settles. Returns how much that was. */
  doLater(): Promise<number>;
  reconcile(): Promise<void>;
  /** Looks whether every run that works has a job, and settles. */
  watchJobs(): Promise<void>;
  /** An issue, labelled by olivia and settled. */
  begin(body?: string): Promise<{ issue: number; run: string }>;
  /** Puts a run that was driven by hand where an issue of olivia's is, and settles. Asked again: what happened since. */
  seed(run: Run, target?: Partial<RunTarget>): Promise<{ issue: number }>;
  state(run?: string): Promise<RunState>;
  /** Performs one effect at once, outside its lane. */
  perform(effect: Outgoing, outgoing?: { id?: string; run?: string; attempts?: number }): Promise<void>;
  /** The newest dispatch of a job. */
  dispatch(job?: number, kind?: JobKind, run?: string): Promise<Dispatch | undefined>;
  /** The Actions run claims the ticket of a job and begins to work. */
  claim(actionsRun: number, job?: number, kind?: JobKind, run?: string): Promise<void>;
  /** GitHub tells that an Actions run has ended. */
  endActionsRun(actionsRun: number, conclusion: string): Promise<void>;
  /** `via` of every command in the journal, oldest first. */
  waysOfCommands(run?: string): Promise<string[]>;
  close(): Promise<void>;
}

const CONFIG = 'agent: scripted\nagents:\n  scripted: { command: ["true"] }\nverify: [npm test]\n';
const WORKFLOW = `name: autobuild
run-name: 'autobuild #\${{ inputs.issue }} \${{ inputs.kind }} \${{ inputs.operation }}'
on:
  workflow_dispatch:
    inputs:
      ticket: { type: string }
      desk: { type: string }
      kind: { type: string }
      head_sha: { type: string }
      base_sha: { type: string }
      issue: { type: string }
      operation: { type: string }
concurrency:
  group: autobuild-\${{ inputs.issue }}
jobs:
  build: { runs-on: ubuntu-latest, timeout-minutes: 350, steps: [{ run: 'true' }] }
`;

export async function openAppDesk(options: AppDeskOptions = {}): Promise<AppDesk> {
  const exchanges: AppDesk['exchanges'] = [];
  let mood: (call: Call) => Answer | undefined = () => undefined;
  const claimed = new Set<number>();
  const github = await startLocalGitHub({
    owner: 'olivia',
    name: 'shop',
    people: { walter: 'write', tina: 'triage', rita: 'read' },
    startJob: idleJob,
    onExchange: (exchange) => void exchanges.push(exchange),
    interfere: (call) => mood(call) ?? showClaimed(call, claimed),
  });
  for (const [path, text] of [
    ['.github/autobuild.yml', options.config ?? CONFIG],
    ['.github/workflows/autobuild.yml', WORKFLOW],
  ] as const)
    await github.upstream('PUT', `/repos/olivia/shop/contents/${path}`, {
      message: path,
      content: Buffer.from(text).toString('base64'),
    });
  const key = randomBytes(32).toString('base64');
  const clock = { ms: Date.now() };
  const store = await openSqliteStore({ file: ':memory:', key, clock: () => clock.ms });
  let text = '';
  const log = createLog('debug', {
    write(line) {
      text += line;
    },
  });
  const now = () => new Date(clock.ms);
  const settings: Settings = {
    appId: github.appId,
    privateKey: github.privateKey,
    webhookSecret: github.webhookSecret,
    publicUrl: 'https://autobuild.example.com',
    webUrl: `http://${github.host}`,
    apiUrl: `http://${github.host}/api/v3`,
    label: 'autobuild',
    ...options.settings,
  } as Settings;
  const probot = createProbot(settings, log);
  await probot.ready();
  const putOff: (() => Promise<void>)[] = [];
  const deps: HostedDependencies = {
    ...createAppDependencies(settings, { store, probot, log }),
    now,
    monotonicMs: () => clock.ms,
    later: (_ms, work) => void putOff.push(work),
    ...options.deps,
  };
  await probot.load(autobuild(deps));
  let received = 0;
  let losing = false;
  const receive: AppDesk['receive'] = (name, payload, id = randomUUID()) =>
    // As ingest stores it.
    probot.receive({
      id,
      name,
      payload: keepFields(payload, WEBHOOK_FIELDS[name as keyof typeof WEBHOOK_FIELDS] ?? {}),
    } as unknown as Parameters<Probot['receive']>[0]);
  const receiveNew = async (): Promise<boolean> => {
    const fresh = github.webhooks.deliveries.slice(received);
    received += fresh.length;
    if (losing) return false;
    for (const { id, event, payload } of fresh) await receive(event, payload, id);
    return fresh.length > 0;
  };
  const olivia = createPerson(github, 'olivia');
  const seeded = new Map<string, { commits: number; issue: number }>();

  const desk: AppDesk = {
    github,
    deps,
    store,
    clock,
    exchanges,
    olivia,
    person: (login) => createPerson(github, login),
    logged: () => text,
    interfere(next) {
      mood = next;
    },
    receive,
    loseWebhooks(lost) {
      losing = lost;
    },
    async doLater() {
      const due = putOff.splice(0);
      for (const work of due) await work();
      await desk.settle();
      return due.length;
    },
    async settle() {
      for (let step = 0; step < MOST_STEPS; step += 1) {
        const busy = [await receiveNew(), await workLane(deps), await fireTimers(deps)];
        if (busy.includes(true)) continue;
        await github.heard();
        if (!(await receiveNew())) return;
      }
      throw new Error(`There is no end to it:\n${text.slice(-4_000)}`);
    },
    async reconcile() {
      await reconcile(deps);
      await desk.settle();
    },
    async watchJobs() {
      await watchJobs(deps);
      await desk.settle();
    },
    async begin(body = 'Make it.') {
      const issue = await olivia.openIssue({ title: 'Make it', body });
      await olivia.label(issue, 'autobuild');
      await desk.settle();
      const { repo_id } = await (await deps.github(INSTALLED)).defaultBranch();
      return { issue, run: (await store.runs.ofIssue(repo_id, issue)) ?? '' };
    },
    async seed(run, target = {}) {
      const known = seeded.get(run.state.run);
      const issue = known?.issue ?? (await openLabelled(desk));
      const branch = await (await deps.github(INSTALLED)).defaultBranch();
      const home: RunTarget = {
        ...INSTALLED,
        repo_id: branch.repo_id,
        issue,
        default_branch: branch.name,
        head_sha: branch.sha,
        private: branch.private,
        workflow: 'autobuild.yml',
        ci: 'skip',
        labelled_by: 'olivia',
        ...target,
      };
      let { version } = await store.runs.load(run.state.run);
      // The label is set just now, and the run may be older: it is this label's all the same.
      const events = known ? [] : await (await deps.github(INSTALLED)).issueEvents(issue);
      const labelling = {
        event: newestLabelled(events, settings.label)?.id,
        at: run.state.requested_at,
      };
      for (const commit of run.commits.slice(known?.commits ?? 0)) {
        const done = await store.runs.commit(run.state.run, version, {
          ...commit,
          ...(version === 0 && { target: home, labelling }),
        });
        if (!done.ok) throw new Error(`Commit ${version} was refused: the App has decided since.`);
        version += 1;
      }
      seeded.set(run.state.run, { commits: run.commits.length, issue });
      await claimJobs(desk, run.state);
      await desk.settle();
      return { issue };
    },
    async state(run = 'r1') {
      const { state } = await store.runs.load(run);
      if (!state) throw new Error(`There is no run ${run}.`);
      return state;
    },
    async perform(effect, { id = 'once', run = 'r1', attempts = 1 } = {}) {
      await performEffect(deps, { id, run, lane: 'test', effect, attempts });
    },
    dispatch: (job = 1, kind = 'build', run = 'r1') => store.dispatches.ofJob(run, job, kind),
    async claim(actions_run, job = 1, kind = 'build', run = 'r1') {
      const { op = '' } = (await store.dispatches.ofJob(run, job, kind)) ?? {};
      const at = now().toISOString();
      const claim = {
        requested_at: at,
        actions_run,
        attempt: 1,
        claimed_at: at,
        working_at: at,
        heard_at: at,
      };
      if (!(await store.dispatches.change(op, claim)))
        throw new Error(`Job ${job} of ${run} was not dispatched, or has ended.`);
      if (!github.workflows.runs.some(({ id }) => id === actions_run)) claimed.add(actions_run);
    },
    async endActionsRun(actions_run, conclusion) {
      const ended_at = now().toISOString();
      await onWorkflowRunCompleted(deps, { actions_run, attempt: 1, conclusion, ended_at });
      await desk.settle();
    },
    async waysOfCommands(run = 'r1') {
      const stored = await store.runs.events(run);
      return stored.flatMap(({ commit: { input } }) => (input.type === 'command' ? [input.via] : []));
    },
    async close() {
      await github.close();
      await store.close();
    },
  };
  return desk;
}

/** A run of an hour ago, by GitHub's clock, whose agent asks for these values in its first turn. */
export function askingRun(
  wanted: (string | { key: string; label: string; secret?: boolean })[],
  options: RunOptions = {},
): Run {
  return startRun({ startMs: Date.now() - HOUR_MS, ...options })
    .beginTurn()
    .askForHelp(wanted.map((input) => (typeof input === 'string' ? { key: input, label: input } : input)));
}

const INSTALLED = { installation_id: 100, owner: 'olivia', repo: 'shop' };

/** The jobs that a seeded run had were dispatched and claimed; only the newest may be at work. */
async function claimJobs({ store, claim, deps }: AppDesk, { run, jobs, job_live }: RunState): Promise<void> {
  for (let job = 1; job <= jobs; job += 1) {
    const dispatch = await store.dispatches.ofJob(run, job, 'build');
    if (!dispatch || dispatch.ended_at) continue;
    await claim(SEEDED_ACTIONS_RUN, job, 'build', run);
    if (job === jobs && job_live) continue;
    await store.dispatches.change(dispatch.op, { ended_at: deps.now().toISOString(), outcome: 'over' });
  }
}

/** With the label, and without the run it would start. */
async function openLabelled(desk: AppDesk): Promise<number> {
  const issue = await desk.olivia.openIssue({ title: 'Add a login page', body: 'As said.' });
  desk.loseWebhooks(true);
  await desk.olivia.label(issue, 'autobuild');
  await desk.settle();
  desk.loseWebhooks(false);
  return issue;
}

/** An Actions run that only a test knows is in progress for GitHub. */
function showClaimed({ method, path }: Call, claimed: ReadonlySet<number>): Answer | undefined {
  const id = Number(/^\/repos\/olivia\/shop\/actions\/runs\/(\d+)$/.exec(path)?.[1]);
  if (method !== 'GET' || !claimed.has(id)) return undefined;
  return { status: 200, body: { id, status: 'in_progress', conclusion: null, run_attempt: 1 } };
}

function idleJob(): RunningJob {
  let end: (conclusion: 'cancelled') => void = () => undefined;
  const ended = new Promise<'cancelled'>((resolve) => {
    end = resolve;
  });
  return { ended, cancel: () => end('cancelled') };
}
