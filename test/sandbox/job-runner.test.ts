import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readWorkflow } from '../../src/sandbox/github/workflow-file.ts';
import type { DispatchedRun } from '../../src/sandbox/github/workflows.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/sandbox/github.ts';
import { createJobRunner, type JobRunner } from '../../src/sandbox/job-runner.ts';
import { processesWith } from '../e2e/processes.ts';
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
let runner: JobRunner;
let runs = 0;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-jobs-'));
  const action = join(directory, 'action.mjs');
  writeFileSync(action, ACTION);
  runner = createJobRunner({
    upstream: github.upstream,
    owner: 'olivia',
    name: 'shop',
    serverUrl: `http://${github.host}`,
    directory,
    action,
    environment: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    secrets: { MODEL_KEY: 'canary-model-key' },
  });
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
console.log('names ' + Object.keys(env).filter((name) => /^(GITHUB|RUNNER)_/.test(name)).sort().join(' '));
appendFileSync(env.GITHUB_STEP_SUMMARY, 'hush-hush summary\\n');
if (inputs.operation === 'fail') process.exitCode = 3;
if (inputs.operation === 'stay') {
  process.on('SIGINT', () => { console.log('asked to stop'); process.exit(1); });
  setInterval(() => undefined, 1000);
}
appendFileSync(env.GITHUB_OUTPUT, 'status=fine\\n');
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
      - run: echo kept > report.json
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

function dispatched(kind: string, operation = ''): DispatchedRun {
  runs += 1;
  return {
    id: 9_000 + runs,
    attempt: 1,
    workflow: readWorkflow('autobuild.yml', parse(WORKFLOW)),
    sha,
    branch: 'main',
    actor: 'autobuild[bot]',
    inputs: { kind, operation, head_sha: sha },
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
  expect(processesWith(`RUNNER_TRACKING_ID=sandbox_${run.id}`)).toEqual([]);
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
