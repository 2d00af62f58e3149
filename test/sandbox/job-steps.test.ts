import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { PartInProcess } from '../../src/sandbox/steps/machine.ts';
import { until } from '../e2e-github/until.ts';

const STORY = `
name: story
on: { workflow_dispatch: { inputs: { how: { required: true } } } }
env: { OF_FILE: file }
jobs:
  one:
    env: { OF_JOB: '\${{ env.OF_FILE }} and job' }
    outputs:
      words: \${{ steps.say.outputs.words }}
      lines: \${{ steps.say.outputs.lines }}
      secret: \${{ steps.say.outputs.secret }}
      big: \${{ steps.big.outputs.big }}
    steps:
      - id: say
        run: |
          echo "words=$OF_JOB on $GITHUB_EVENT_NAME by $GITHUB_ACTOR" >> "$GITHUB_OUTPUT"
          printf 'lines<<END\\na\\nb\\nEND\\nsecret=the %s\\n' "$KEY" >> "$GITHUB_OUTPUT"
          mkdir -p "$RUNNER_TEMP/work/blobs" .hidden
          echo claims > "$RUNNER_TEMP/work/claims.jsonl"; echo blob > "$RUNNER_TEMP/work/blobs/b"
          echo plain > note.txt; echo unseen > .hidden/x; ln -s /etc/hostname "$RUNNER_TEMP/work/link"
        env: { KEY: '\${{ secrets.KEY }}' }
      - id: big
        if: inputs.how == 'big'
        run: printf 'big=%0.sx' $(seq 200000) >> "$GITHUB_OUTPUT"; for i in 1 2 3; do printf '%0.sx' $(seq 200000) >> "$GITHUB_OUTPUT"; done
      - id: fails
        continue-on-error: true
        run: exit 3
      - run: echo "it was \${{ steps.fails.outcome }}, counted as \${{ steps.fails.conclusion }}"
      - uses: actions/upload-artifact@v7
        with: { name: work, path: '\${{ runner.temp }}/work', if-no-files-found: error }
      - uses: actions/upload-artifact@v7
        with: { name: note, path: "*.txt\\n.hidden/x" }
  two:
    needs: one
    if: always()
    steps:
      - id: nothing
        uses: actions/download-artifact@v8
        continue-on-error: true
        with: { name: missing, path: elsewhere }
      - uses: actions/download-artifact@v8
        with: { name: work, path: '\${{ runner.temp }}/work' }
      - uses: actions/download-artifact@v8
        with: { name: note }
      - run: |
          echo "got \${{ needs.one.outputs.words }}, secret '\${{ needs.one.outputs.secret }}'"
          echo "lines $(echo "$LINES_OF_ONE" | wc -l), missing was \${{ steps.nothing.outcome }}"
          (cd "$RUNNER_TEMP/work" && find . -type f | sort | tr '\\n' ' '); find . -type f | tr '\\n' ' '; cat "$RUNNER_TEMP/work/claims.jsonl"
        env: { LINES_OF_ONE: '\${{ needs.one.outputs.lines }}' }
      - if: failure()
        run: echo "after a failure"
      - shell: cp {0} copied
        working-directory: \${{ runner.temp }}
        run: \${{ format('{0}{0}', needs.one.outputs.words) }}
      - run: echo "copied $(cat "$RUNNER_TEMP/copied")"
`;
const PARTS = `
name: parts
on: { issue_comment: { types: [created] } }
jobs:
  desk:
    outputs: { next: '\${{ steps.desk.outputs.next }}' }
    permissions: { contents: read, issues: write }
    steps:
      - { id: desk, uses: acme/autobuild@v0, with: { part: desk }, env: { GITHUB_TOKEN: '\${{ github.token }}' } }
      - if: always()
        run: echo after
  deliver:
    needs: desk
    if: always()
    steps: [{ uses: acme/autobuild@v0, with: { part: deliver }, env: { NEXT: '\${{ needs.desk.outputs.next }}' } }]
`;

let directory: string;
let sandbox: Sandbox;
let playPart: (part: string, step: PartInProcess) => Promise<boolean>;
let tamper: (folder: string) => void = () => undefined;
const secrets: Record<string, string> = { KEY: 'hush-hush' };
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-steps-'));
  sandbox = await startSandbox({
    directory,
    files: { '.github/workflows/story.yml': STORY, '.github/workflows/parts.yml': PARTS },
    environment: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
    secrets,
    inProcess: (part, step) => playPart(part, step),
    onArtifact: (_, name, folder) => name === 'work' && tamper(folder),
  });
});
afterAll(async () => {
  await sandbox.close();
  rmSync(directory, { recursive: true, force: true });
});
afterEach(() => {
  tamper = () => undefined;
});

async function dispatch(how: string) {
  const path = '/repos/olivia/shop/actions/workflows/story.yml/dispatches';
  await sandbox.github.callAs('olivia', 'POST', path, { ref: 'main', inputs: { how } });
  const run = sandbox.github.workflows.runs.at(-1);
  await until('its end', () => run?.status === 'completed');
  const jobs = sandbox.runner.finished.filter((job) => job.run === run?.id);
  return { run, job: (key: string) => jobs.find(({ job }) => job === key) };
}

test('outputs and artifacts go from job to job, secrets do not; names are relative to what was uploaded', async () => {
  const { run, job } = await dispatch('well');
  expect(run?.conclusion).toBe('success');
  expect(job('one')?.outputs).toEqual({
    words: 'file and job on workflow_dispatch by olivia',
    lines: 'a\nb',
  });
  expect(job('one')?.log).toContain("Skip output 'secret' since it may contain secret.");
  expect(job('one')?.log).toContain('it was failure, counted as success');
  const { log = '' } = job('two') ?? {};
  expect(log).toContain("got file and job on workflow_dispatch by olivia, secret ''");
  expect(log).toContain('lines 2, missing was failure');
  expect(log).toContain('./blobs/b ./claims.jsonl ./link ./note.txt claims');
  expect(log).not.toContain('after a failure');
  // A script is a file, which any command may be given.
  expect(log).toContain('copied file and job on workflow_dispatch by oliviafile and job');
});

test('an artifact can be forged between two jobs', async () => {
  tamper = (folder) => {
    writeFileSync(join(folder, 'claims.jsonl'), 'forged\n');
    symlinkSync('/etc/passwd', join(folder, 'evil'));
  };
  const { job } = await dispatch('forged');
  expect(job('two')?.log).toContain('forged');
});

test('more than 1 MB of outputs, in UTF-16, fails the job', async () => {
  const { run, job } = await dispatch('big');
  expect(run?.conclusion).toBe('failure');
  expect(job('one')).toMatchObject({ conclusion: 'failure', outputs: {} });
  expect(job('one')?.log).toContain('more than 1 MB in UTF-16');
});

async function comment(body: string) {
  const olivia = sandbox.person('olivia');
  const issue = await olivia.openIssue({ title: 'Make it', body: 'Please.' });
  await olivia.comment(issue, body);
  const { runs } = sandbox.github.workflows;
  const run = await until('its run', () =>
    runs.find(({ payload }) => (payload.issue as { number?: number } | undefined)?.number === issue),
  );
  return { issue, run, ended: () => until('its end', () => run.status === 'completed' && run) };
}

test('parts of the action run in this process, with the environment that a process would have', async () => {
  const seen: Record<string, PartInProcess> = {};
  playPart = async (part, step) => {
    seen[part] = step;
    step.print(`hello from ${part}, key ${secrets.KEY}\n`);
    if (part === 'desk') writeFileSync(step.env.GITHUB_OUTPUT ?? '', 'next=build\n');
    return true;
  };
  const { run, ended } = await comment('/status');
  await ended();
  expect(run.conclusion).toBe('success');
  expect(seen.desk?.env).toMatchObject({
    INPUT_PART: 'desk',
    INPUT_DIRECTORY: '.',
    GITHUB_EVENT_NAME: 'issue_comment',
    GITHUB_JOB: 'desk',
    GITHUB_RUN_ID: String(run.id),
    GITHUB_TOKEN: expect.stringMatching(/^ghs_/),
    GITHUB_API_URL: `http://${sandbox.github.host}/api/v3`,
    GITHUB_GRAPHQL_URL: `http://${sandbox.github.host}/api/graphql`,
    GITHUB_WORKFLOW_REF: 'olivia/shop/.github/workflows/parts.yml@refs/heads/main',
  });
  expect(seen.deliver?.env).toMatchObject({ INPUT_PART: 'deliver', NEXT: 'build' });
  expect(seen.deliver?.env).not.toHaveProperty('GITHUB_TOKEN');
  const desk = sandbox.runner.finished.find((job) => job.run === run.id && job.job === 'desk');
  expect(desk?.log).toContain('hello from desk, key ***');
});

test('a variable that no process could have fails the step here, too', async () => {
  playPart = async (part, { env }) => {
    if (part === 'desk') writeFileSync(env.GITHUB_OUTPUT ?? '', `next=${'x'.repeat(140_000)}\n`);
    return true;
  };
  const { run, ended } = await comment('/status');
  await ended();
  expect(run.jobs).toMatchObject([
    { job: 'desk', conclusion: 'success' },
    { job: 'deliver', conclusion: 'failure' },
  ]);
});

test('a killed part is not waited for, runs none of its other steps, and the next job begins', async () => {
  playPart = async (part, { env }) => {
    if (part === 'deliver') return true;
    sandbox.github.killJob(Number(env.GITHUB_RUN_ID), 'desk');
    return new Promise<boolean>(() => undefined);
  };
  const { run, ended } = await comment('/status');
  await ended();
  expect(run.jobs).toMatchObject([
    { job: 'desk', conclusion: 'failure' },
    { job: 'deliver', conclusion: 'success' },
  ]);
  const { log } = (await until('its machine is gone', () =>
    sandbox.runner.finished.find((job) => job.run === run.id && job.job === 'desk'),
  )) ?? { log: '' };
  expect(log).not.toContain('after');
});

test('jobs wait for a machine while the runner is paused', async () => {
  playPart = async () => true;
  sandbox.runner.pause(({ job }) => job === 'deliver');
  const { run, ended } = await comment('/status');
  await until('one waits', () => sandbox.runner.waiting.some(({ id }) => id === run.id));
  expect(sandbox.runner.finished.filter((job) => job.run === run.id).map(({ job }) => job)).toEqual(['desk']);
  sandbox.runner.resume();
  await ended();
  expect(run.conclusion).toBe('success');
  expect(sandbox.runner.waiting).toEqual([]);
});
