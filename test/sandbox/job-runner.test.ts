import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { StartedJob } from '../../src/sandbox/actions/job.ts';
import { readWorkflow } from '../../src/sandbox/actions/workflow-file.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/sandbox/github.ts';
import { createJobRunner, type JobRunner } from '../../src/sandbox/job-runner.ts';
import { processesOf } from '../e2e-github/at-work.ts';
import { until } from '../e2e-github/until.ts';
import { git } from '../runner/temporary-worktree.ts';

let github: LocalGitHub;
let sha: string;
beforeAll(async () => {
  github = await startLocalGitHub({
    owner: 'olivia',
    name: 'shop',
    people: {},
    startJob: () => {
      throw new Error('nobody dispatches here');
    },
  });
  const put = await github.upstream('PUT', '/repos/olivia/shop/contents/deep/er/file.txt', {
    message: 'A file',
    content: Buffer.from('text\n').toString('base64'),
  });
  sha = (put.body as { commit: { sha: string } }).commit.sha;
});
afterAll(() => github.close());

let directory: string;
let options: Parameters<typeof createJobRunner>[0];
let runner: JobRunner;
let runs = 0;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-jobs-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const action = {
    pre: file('pre.mjs', PRE),
    main: file('action.mjs', ACTION),
    post: file('post.mjs', POST),
  };
  options = {
    upstream: github.upstream,
    owner: 'olivia',
    name: 'shop',
    serverUrl: `http://${github.host}`,
    directory,
    action,
    environment: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  };
  runner = createJobRunner(options);
  return () => rmSync(directory, { recursive: true, force: true });
});

/** Says what it was given, and does what the input tells. */
const ACTION = `import { appendFileSync, readFileSync } from 'node:fs';
const { env } = process;
const { inputs } = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'));
console.log('::add-mask::hush-hush');
console.log('::stop-commands::word');
console.log('::add-mask::nobody listens');
console.log('hush-hush, nobody listens, key ' + env.MODEL_KEY + ', set up ' + env.SET_UP + ', directory ' + env.INPUT_DIRECTORY);
console.log('main: ' + env.STATE_kept);
console.log('names ' + Object.keys(env).filter((name) => /^(GITHUB|RUNNER)_/.test(name)).sort().join(' '));
appendFileSync(env.GITHUB_STEP_SUMMARY, 'hush-hush summary\\n');
if (inputs.operation === 'fail') process.exitCode = 3;
if (inputs.operation === 'stay') {
  process.on('SIGINT', () => { console.log('asked to stop'); process.exit(1); });
  setInterval(() => undefined, 1000);
}
appendFileSync(env.GITHUB_OUTPUT, 'status=fine\\n');
`;

/** Keeps something for the later parts of its step. */
const PRE = `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const { env } = process;
appendFileSync(env.GITHUB_STATE, 'kept<<word\\nsomething\\nword\\n');
console.log('pre: ' + (existsSync('deep') ? 'after' : 'before') + ' the checkout, directory ' + env.INPUT_DIRECTORY);
const { inputs } = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'));
if (inputs.operation === 'fail early') process.exitCode = 3;
`;

const POST = `console.log('post: ' + process.env.STATE_kept + ', directory ' + process.env.INPUT_DIRECTORY);
`;

const WORKFLOW = `
name: autobuild
on: { workflow_dispatch: { inputs: { kind: { required: true } } } }
jobs:
  build:
    if: inputs.kind == 'build'
    steps:
      - uses: actions/checkout@v6
        with: { ref: '\${{ inputs.head_sha }}' }
      - run: echo "SET_UP=yes" >> "$GITHUB_ENV"; sleep 300 >/dev/null 2>&1 &
      - uses: autobuild/autobuild@v0
        env: { MODEL_KEY: '\${{ secrets.MODEL_KEY }}' }
      - run: echo kept > report.json; echo "step has $STATE_kept."
        if: always()
      - uses: actions/upload-artifact@v7
        if: always()
        with: { path: '*.json' }
  verify:
    if: inputs.kind == 'verify'
    steps:
      - uses: actions/checkout@v6
      - uses: autobuild/autobuild@v0
`;

function dispatched(kind: string, operation = '', text = WORKFLOW): StartedJob {
  runs += 1;
  const workflow = readWorkflow('autobuild.yml', parse(text));
  const definition = workflow.jobs[kind];
  if (!definition) throw new Error(`There is no job ${kind}.`);
  const inputs = { kind, operation, head_sha: sha };
  const secrets = { MODEL_KEY: 'canary-model-key' };
  return {
    ...{ id: 9_000 + runs, attempt: 1, workflow, sha, branch: 'main', actor: 'autobuild[bot]' },
    ...{ event: 'workflow_dispatch', payload: { inputs }, inputs },
    ...{ job: kind, jobName: kind, definition, fileEnv: {}, token: 'ghs_none' },
    contexts: { github: { run_id: 9_000 + runs }, inputs, needs: {}, secrets, vars: {} },
  };
}

test('a job has the commit, the environment, its files and a masked log, and leaves no process', async () => {
  const run = dispatched('build');
  expect(await runner.start(run).ended).toBe('success');
  const [job] = runner.finished;
  expect(job?.log).toContain('***, nobody listens, key ***, set up yes, directory .');
  expect(job?.log).toMatch(/names .*GITHUB_EVENT_PATH .*GITHUB_RUN_ID .*GITHUB_WORKSPACE .*RUNNER_TEMP/);
  expect(job).toMatchObject({
    output: 'status=fine\n',
    summary: '*** summary\n',
    artifacts: ['report.json'],
  });
  const workspace = join(job?.directory ?? '', 'work/shop/shop');
  expect(readFileSync(join(workspace, 'deep/er/file.txt'), 'utf8')).toBe('text\n');
  expect(git(workspace, 'rev-parse', 'HEAD').trim()).toBe(sha);
  expect(git(workspace, 'status', '--porcelain').trim()).toBe('?? report.json');
  expect(existsSync(join(workspace, '.git/config'))).toBe(true);
  expect(processesOf(run.id)).toEqual([]);
});

test('S-17: pre runs before every step, post after them; what pre keeps, its own step alone gets', async () => {
  expect(await runner.start(dispatched('build')).ended).toBe('success');
  const said = runner.finished[0]?.log.match(/^(pre|main|post|step has).*$/gm);
  expect(said).toEqual([
    'pre: before the checkout, directory .',
    'main: something',
    'step has .',
    'post: something, directory .',
  ]);
});

test('S-17: a job whose pre step fails runs no other step, except what is always done', async () => {
  expect(await runner.start(dispatched('build', 'fail early')).ended).toBe('failure');
  const said = runner.finished[0]?.log.match(/^(pre|main|post|step has).*$/gm);
  expect(said).toEqual([
    'pre: before the checkout, directory .',
    'step has .',
    'post: something, directory .',
  ]);
});

test('the job that verifies is fresh and has no secrets', async () => {
  expect(await runner.start(dispatched('verify')).ended).toBe('success');
  expect(runner.finished[0]?.log).toContain('key undefined, set up undefined');
});

test('a step that fails fails the job; what is always done is done', async () => {
  expect(await runner.start(dispatched('build', 'fail')).ended).toBe('failure');
  expect(runner.finished[0]?.artifacts).toEqual(['report.json']);
});

test('a job that is cancelled is asked first', async () => {
  const job = runner.start(dispatched('verify', 'stay'));
  const output = join(directory, `run-${9_000 + runs}`, 'files/output');
  await until('it listens', () => existsSync(output) && readFileSync(output, 'utf8') !== '');
  job.cancel();
  expect(await job.ended).toBe('cancelled');
  expect(runner.finished[0]?.log).toContain('asked to stop');
});

test('S-17: post runs for the steps that began, the last first, after a failure and after a cancel', async () => {
  const workflow = `
name: autobuild
on: { workflow_dispatch: { inputs: { kind: { required: true } } } }
jobs:
  build:
    steps:
      - uses: autobuild/autobuild@v0
        with: { directory: one }
      - uses: autobuild/autobuild@v0
        with: { directory: two }
      - run: echo "always here"
        if: always()
`;
  const said = () => runner.finished.at(-1)?.log.match(/^(pre|asked|always|post).*$/gm);
  expect(await runner.start(dispatched('build', 'fail', workflow)).ended).toBe('failure');
  const begun = ['pre: before the checkout, directory one', 'pre: before the checkout, directory two'];
  const posts = ['post: something, directory two', 'post: something, directory one'];
  expect(said()).toEqual([...begun, 'always here', ...posts]);
  const job = runner.start(dispatched('build', 'stay', workflow));
  const output = join(directory, `run-${9_000 + runs}`, 'files/output');
  await until('it listens', () => existsSync(output) && readFileSync(output, 'utf8') !== '');
  job.cancel();
  expect(await job.ended).toBe('cancelled');
  expect(said()).toEqual([...begun, 'asked to stop', 'always here', ...posts]);
  const { pre: _, ...action } = options.action;
  runner = createJobRunner({ ...options, action });
  expect(await runner.start(dispatched('build', 'fail', workflow)).ended).toBe('failure');
  expect(said()).toEqual(['always here', 'post: undefined, directory one']);
});

test('set-up actions bring the programs of this machine; steps work where they are told; npm has a place of its own', async () => {
  const workflow = `
name: autobuild
on: { workflow_dispatch: { inputs: { kind: { required: true } } } }
jobs:
  build:
    steps:
      - uses: actions/checkout@v6
      - run: echo "npm installs into $npm_config_prefix"
      - uses: actions/setup-node@v6
        with: { node-version-file: deep/er/file.txt }
      - run: echo "node is $(command -v node) in $(basename "$PWD")"
        working-directory: deep/er
      - uses: acme/autobuild@v0
      - uses: actions/setup-node@v6
        with: { node-version-file: missing.txt }
`;
  expect(await runner.start(dispatched('build', '', workflow)).ended).toBe('failure');
  const { log = '', directory: home = '' } = runner.finished[0] ?? {};
  expect(log).toContain(`npm installs into ${home}/npm\n`);
  expect(log).toContain(`node is ${home}/tools/actions-setup-node/node in er\n`);
  expect(log).toContain('main: something');
  expect(log).toContain('actions/setup-node: the file missing.txt of node-version-file is not there.');
});
