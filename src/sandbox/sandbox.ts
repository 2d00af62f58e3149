import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AppProcess, startAppProcess } from './app-process.ts';
import { findFreePort } from './free-port.ts';
import type { Answer, Call, Upstream } from './github/gap.ts';
import { OAUTH_CLIENT } from './github/oauth.ts';
import type { Role } from './github/permissions.ts';
import { type LocalGitHub, startLocalGitHub } from './github.ts';
import { createJobRunner, type JobRunner, SOURCE_ACTION } from './job-runner.ts';
import { createPerson, type Person } from './person.ts';
import type { ActionFiles, MachineOptions } from './steps/machine.ts';

const OWNER = 'olivia';
const REPOSITORY = 'shop';
const MAX_LOG = 500_000;
const WEBHOOK_PATH = '/api/github/webhooks';
/** The scripted agents are here. A box shows the directories of the PATH, also below a private `/tmp`. */
const PROGRAMS = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

interface SandboxOptions {
  /** The directory for everything. The caller creates and removes it. */
  directory: string;
  /** The files of the default branch, by path. */
  files: Record<string, string>;
  /** People beside the owner, `olivia`. */
  people?: Record<string, Role>;
  /** The files that are run as the action. Its source if omitted. */
  action?: ActionFiles;
  /** The address of PostgreSQL. A SQLite file if omitted. */
  databaseUrl?: string;
  /** The environment that jobs and the App get: PATH at least. */
  environment: Record<string, string>;
  /** The Actions secrets, read at the start of each run: a test may change them. */
  secrets?: Record<string, string>;
  /** Runs parts of the action in this process, for tests of stories with many jobs. */
  inProcess?: MachineOptions['inProcess'];
  /** The text of another repository's workflow that a job calls. `autobuild/.github/workflows/run.yml` is this one's. */
  calledWorkflow?(path: string): string | undefined;
  /** An answer that replaces GitHub's, for tests of its failures. */
  interfere?(call: Call): Answer | undefined;
  /** Looks into an artifact, or changes it, before any job downloads it. */
  onArtifact?(run: number, name: string, folder: string): void;
  onExchange?(exchange: { call: Call; answer: Answer }): void;
  onJobLog?(run: number, text: string): void;
  /** Shows people a stand-in for GitHub's pages, at this port if it is given. */
  site?: { port?: number };
}

export interface Sandbox {
  github: LocalGitHub;
  runner: JobRunner;
  person(login: string): Person;
  /**
   * Starts one more App. Webhooks are sent to all running ones in turn. A killed App is restarted under the same
   * address.
   */
  startApp(): Promise<AppProcess>;
  /** Commits to the default branch. */
  push(files: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** GitHub, a runner and Apps on this machine, for the tests, for `npm run demo` and for people. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { directory, environment } = options;
  const jobs = join(directory, 'jobs');
  // Files that a killed job leaves are removed with the rest. The name is short, because the paths of sockets have a
  // limit.
  const temporary = join(directory, 't');
  for (const made of [jobs, temporary]) mkdirSync(made, { recursive: true });
  let runner: JobRunner | undefined;
  const logs = new Map<number, string>();
  const running = new Map<AppProcess, string>();
  const github = await startLocalGitHub({
    owner: OWNER,
    name: REPOSITORY,
    people: options.people ?? {},
    startJob(job) {
      if (!runner) throw new Error('The runner is not there yet.');
      return runner.start(job);
    },
    onExchange: options.onExchange,
    interfere: options.interfere,
    secrets: () => options.secrets ?? {},
    calledWorkflow: options.calledWorkflow ?? ownWorkflow,
    port: options.site?.port,
    site: options.site && {
      jobLog: (run) => logs.get(run) ?? '',
      appUrl: () => running.values().next().value?.replace(WEBHOOK_PATH, ''),
    },
    secretNames: options.secrets ? () => Object.keys(options.secrets ?? {}) : undefined,
  });
  runner = createJobRunner({
    upstream: github.upstream,
    owner: OWNER,
    name: REPOSITORY,
    serverUrl: `http://${github.host}`,
    directory: jobs,
    action: options.action ?? SOURCE_ACTION,
    environment: {
      LANG: 'C.UTF-8',
      TMPDIR: temporary,
      ...environment,
      PATH: [environment.PATH, PROGRAMS].filter(Boolean).join(delimiter),
    },
    inProcess: options.inProcess,
    onArtifact: options.onArtifact,
    onLog(run, text) {
      if (options.site) logs.set(run, `${logs.get(run) ?? ''}${text}`.slice(-MAX_LOG));
      options.onJobLog?.(run, text);
    },
  });
  const push = (files: Record<string, string>) =>
    commitFiles(github.upstream, `/repos/${OWNER}/${REPOSITORY}`, files);
  await push(options.files);
  await github.heard();
  await github.webhooks.forget();
  const freed: number[] = [];
  const keys = randomBytes(32).toString('base64');
  const direct = () => github.webhooks.to([...running.values()]);
  const { databaseUrl } = options;

  return {
    github,
    runner,
    push,
    person: (login) => createPerson(github, login),
    async startApp() {
      const port = freed.pop() ?? (await findFreePort());
      const url = `http://127.0.0.1:${port}`;
      const app = await startAppProcess({
        cwd: directory,
        env: {
          ...environment,
          APP_ID: String(github.appId),
          PRIVATE_KEY: github.privateKey,
          WEBHOOK_SECRET: github.webhookSecret,
          AUTOBUILD_KEYS: keys,
          ...(databaseUrl ? { DATABASE_URL: databaseUrl } : { AUTOBUILD_DB: join(directory, 'desk.db') }),
          PUBLIC_URL: url,
          HOST: '127.0.0.1',
          PORT: String(port),
          GHE_HOST: github.host,
          GHE_PROTOCOL: 'http',
          // People sign in only where they have a browser.
          ...(options.site && {
            GITHUB_CLIENT_ID: OAUTH_CLIENT.clientId,
            GITHUB_CLIENT_SECRET: OAUTH_CLIENT.clientSecret,
          }),
          LOG_LEVEL: 'info',
        },
      });
      const gone = () => {
        if (running.delete(handle)) freed.push(port);
        direct();
      };
      const handle: AppProcess = {
        ...app,
        async kill() {
          gone();
          await app.kill();
        },
        async stop() {
          gone();
          await app.stop();
        },
      };
      running.set(handle, `${url}${WEBHOOK_PATH}`);
      direct();
      return handle;
    },
    async close() {
      await github.workflows.close();
      await Promise.all([...running.keys()].map((app) => app.stop()));
      await github.close();
    },
  };
}

/** This repository's workflows, whoever's copy of it is called, as they are here. */
function ownWorkflow(path: string): string | undefined {
  const file = /^[\w-]+\/autobuild\/(\.github\/workflows\/[\w.-]+)$/.exec(path)?.[1];
  const found = file && join(PROGRAMS, file);
  return found && existsSync(found) ? readFileSync(found, 'utf8') : undefined;
}

async function commitFiles(
  upstream: Upstream,
  repository: string,
  files: Record<string, string>,
): Promise<string> {
  const ask = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await upstream(method, `${repository}${path}`, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as Body;
  };
  const head = await ask<{ object: { sha: string } }>('GET', '/git/ref/heads/main');
  const base = await ask<{ tree: { sha: string } }>('GET', `/git/commits/${head.object.sha}`);
  const tree = Object.entries(files).map(([path, content]) => ({
    path,
    mode: '100644',
    type: 'blob',
    content,
  }));
  const made = await ask<{ sha: string }>('POST', '/git/trees', { base_tree: base.tree.sha, tree });
  const parents = [head.object.sha];
  const commit = await ask<{ sha: string }>('POST', '/git/commits', {
    message: 'Files',
    tree: made.sha,
    parents,
  });
  await ask('PATCH', '/git/refs/heads/main', { sha: commit.sha });
  return commit.sha;
}
