import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { issueOfBranch } from '../../src/core/our-branch.ts';
import type { AppProcess } from '../../src/sandbox/app-process.ts';
import type { Answer, Call } from '../../src/sandbox/github/gap.ts';
import { bundleAction, type FinishedJob } from '../../src/sandbox/job-runner.ts';
import type { Person, SeenComment, SeenPullRequest } from '../../src/sandbox/person.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { ActionFiles } from '../../src/sandbox/steps/machine.ts';
import { partsHere } from './run-part-here.ts';
import { until } from './until.ts';

const AGENT = join(import.meta.dirname, 'agents/agent.sh');
const TEMPLATES = join(import.meta.dirname, '../../templates');
/** The App on a server, or jobs of GitHub Actions alone. */
export const DESKS = ['App', 'Actions'] as const;
export type Desk = (typeof DESKS)[number];
const WORKFLOWS: Readonly<Record<Desk, string>> = { App: 'workflow.yml', Actions: 'no-server.yml' };
export const AUTHORS: Readonly<Record<Desk, string>> = {
  App: 'autobuild[bot]',
  Actions: 'github-actions[bot]',
};
/** Secrets that a repository without a server has. */
export const SECRETS = { MODEL_API_KEY: 'canary-model-key', AUTOBUILD_KEY: 'canary-state-key'.repeat(3) };
/** Compiled once for all the processes a test starts. */
const COMPILE_CACHE = join(tmpdir(), `autobuild-e2e-compile-cache-${process.getuid?.() ?? 0}`);
const SEEN_LOG = 4_000;

export interface SceneOptions {
  desk: Desk;
  /** More lines of `.github/autobuild.yml`. */
  config?: string;
  files?: Record<string, string>;
  action?: ActionFiles;
  databaseUrl?: string;
  secrets?: Record<string, string>;
  /** More variables of the machine that runs the jobs. */
  environment?: Record<string, string>;
  apps?: number;
  /** Builds and verifications of the Actions desk are in this process, where a test does not look at theirs. */
  jobs?: 'here' | 'processes';
  /** For the Actions desk: an answer that replaces GitHub's. */
  interfere?(call: Call): Answer | undefined;
  /** For the Actions desk: looks into what a build left, or changes it. */
  onArtifact?(run: number, name: string, folder: string): void;
  onExchange?(exchange: { call: Call; answer: Answer }): void;
}

/** A repository on a local GitHub with a real desk: olivia owns it, walter may write, tina triages, rita reads. */
export interface Scene {
  sandbox: Sandbox;
  directory: string;
  apps: AppProcess[];
  olivia: Person;
  /** An issue for the agent of that name, labelled by olivia. */
  begin(agent: string, options?: { labelledBy?: string; body?: string }): Promise<Story>;
  /** Makes a desk without a server look at what no event tells it. The App looks by itself. */
  lookAgain(story: Story): Promise<void>;
  close(): Promise<void>;
}

/** One issue and what people see of it. */
export interface Story {
  issue: number;
  comments(): Promise<SeenComment[]>;
  /** The first comment of ours with all of these texts. */
  comment(...texts: string[]): Promise<SeenComment>;
  /** The open question of that number. */
  question(number?: number): Promise<SeenComment>;
  /** Until its jobs have ended. */
  parked(): Promise<void>;
  /** Until the label says so, and no other of ours does; where it is the end, until all of it is written. */
  reached(state: 'running' | 'waiting' | 'done' | 'stopped'): Promise<void>;
  pullRequest(): Promise<SeenPullRequest>;
  /** Workflow runs that were started, by kind. Where they have several jobs: the jobs of that kind. */
  runs(kind?: 'build' | 'verify'): { id: number; status: string; conclusion: string | null }[];
  jobs(): FinishedJob[];
}

export const standardFiles = (config = '', desk: Desk = 'App'): Record<string, string> => ({
  'README.md': '# Shop\n',
  '.github/workflows/autobuild.yml': workflowFor(desk),
  '.github/autobuild.yml': `agent: scripted
agents:
  scripted:
    command: [sh, ${JSON.stringify(AGENT)}]
verify: ["test -f done.txt"]
limits:
  hold_minutes: 0
${config}`,
});

/** The file as `init` writes it for an agent of the repository's own, whose model key is the secret MODEL_API_KEY. */
function workflowFor(desk: Desk): string {
  return readFileSync(join(TEMPLATES, WORKFLOWS[desk]), 'utf8')
    .replace('# <inputs>', 'agent: scripted')
    .replace('# <key>', `model_key: \${{ secrets.MODEL_API_KEY }}`);
}

let bundled: ActionFiles | undefined;

/** The action as users get it, made once in this process: a job of it starts several times as fast as from its source. */
function bundledAction(): ActionFiles {
  if (bundled) return bundled;
  bundled = bundleAction(join(process.env.AUTOBUILD_TESTS_DIRECTORY ?? '', `action-${process.pid}`));
  return bundled;
}

export async function openScene(options: SceneOptions): Promise<Scene> {
  const { desk } = options;
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-github-'));
  const sandbox = await startSandbox({
    directory,
    files: options.files ?? standardFiles(options.config, desk),
    people: { walter: 'write', tina: 'triage', rita: 'read' },
    action: options.action ?? bundledAction(),
    databaseUrl: options.databaseUrl,
    secrets: options.secrets ?? (desk === 'Actions' ? SECRETS : undefined),
    inProcess: options.action ? undefined : partsHere(options.jobs),
    interfere: options.interfere,
    onArtifact: options.onArtifact,
    environment: {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...options.environment,
    },
    onExchange: options.onExchange,
  });
  const apps: AppProcess[] = [];
  const wanted = desk === 'App' ? (options.apps ?? 1) : 0;
  for (let count = 0; count < wanted; count += 1) apps.push(await sandbox.startApp());
  const olivia = sandbox.person('olivia');
  const describeApps = () => apps.map((app) => app.log().slice(-SEEN_LOG)).join('\n');
  return {
    sandbox,
    directory,
    apps,
    olivia,
    async begin(agent, { labelledBy = 'olivia', body = 'Make done.txt.' } = {}) {
      const issue = await olivia.openIssue({
        title: `Make it, ${agent}`,
        body: `${body}\n\nagent: ${agent}\n`,
      });
      await sandbox.person(labelledBy).label(issue, 'autobuild');
      return createStory(sandbox, issue, AUTHORS[desk], describeApps);
    },
    async lookAgain(story) {
      if (desk === 'App') return;
      await sandbox.person('walter').comment(story.issue, '/status');
      await sandbox.github.heard();
      await sandbox.github.workflows.settled();
      await story.parked();
    },
    async close() {
      await sandbox.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function createStory(
  { github, runner, person }: Sandbox,
  issue: number,
  author: string,
  describeApps: () => string,
): Story {
  const olivia = person('olivia');
  const { runs: all } = github.workflows;
  const ofIssue = (run: { payload: unknown; inputs: Record<string, string> }) =>
    run.inputs.issue === String(issue) || issueIn(run.payload) === issue;
  const jobs = () => {
    const ids = new Set(all.filter(ofIssue).map(({ id }) => id));
    return runner.finished.filter(({ run }) => ids.has(run));
  };
  const comments = () => olivia.comments(issue);
  let seen: SeenComment[] = [];
  const describe = () =>
    [
      ...seen.map(({ user, body }) => `--- ${user.login}\n${body.slice(0, SEEN_LOG)}`),
      ...all.flatMap(({ id, problem }) => (problem ? [`--- run ${id}: ${problem}`] : [])),
      ...jobs().map(({ run, job, log }) => `--- ${job} of ${run}\n${log.slice(-SEEN_LOG)}`),
      `--- the App\n${describeApps()}`,
    ].join('\n');
  const find = async (match: (comment: SeenComment) => boolean) => {
    seen = await comments();
    return seen.find((comment) => comment.user.login === author && match(comment));
  };
  const runs: Story['runs'] = (kind) =>
    all.filter(ofIssue).flatMap(({ id, status, conclusion, inputs, jobs: parts }) => {
      if (kind === undefined || inputs.kind === kind) return [{ id, status, conclusion }];
      return parts
        .filter((part) => part.job === kind && part.conclusion !== 'skipped')
        .map((part) => ({ id, status: part.status, conclusion: part.conclusion }));
    });
  return {
    issue,
    comments,
    runs,
    jobs,
    comment: (...texts) =>
      until(
        `a comment with ${texts.join(', ')}`,
        () => find(({ body }) => texts.every((text) => body.includes(text))),
        describe,
      ),
    question: (number = 1) =>
      until(
        `question ${number}`,
        () =>
          find(
            ({ body }) =>
              body.includes(`:escalation `) &&
              body.includes(` esc=${number} `) &&
              body.includes('⏸ Waiting for you'),
          ),
        describe,
      ),
    async parked() {
      await until(
        'its jobs ended',
        () => runs().length > 0 && runs().every(({ status }) => status === 'completed'),
        describe,
      );
    },
    async reached(state) {
      await until(
        `the label autobuild:${state}`,
        async () => {
          seen = await comments();
          const labels = await olivia.labels(issue);
          return labels.filter((label) => label.startsWith('autobuild:')).join() === `autobuild:${state}`;
        },
        describe,
      );
      if (state === 'done' || state === 'stopped')
        await until('the receipt', () => find(({ body }) => body.includes(':receipt ')), describe);
    },
    pullRequest: () =>
      until(
        'a pull request',
        async () => (await olivia.pullRequests()).find(({ head }) => head.ref === `autobuild/issue-${issue}`),
        describe,
      ),
  };
}

/** The issue that an event is about. A pull request of ours is about the issue of its branch. */
function issueIn(payload: unknown): number | undefined {
  const event = payload as { issue?: { number: number }; pull_request?: { head: { ref: string } } };
  return event.issue?.number ?? issueOfBranch(event.pull_request?.head.ref ?? '');
}
