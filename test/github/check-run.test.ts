import { expect, test } from 'vitest';
import { exampleItem, REPOSITORY, useGitHubApi } from './github-api.ts';

const LIST = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
const CREATE = 'POST /repos/{owner}/{repo}/check-runs';
const UPDATE = 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}';

const { on, sent, github } = useGitHubApi();
const head_sha = 'a'.repeat(40);
const running = {
  head_sha,
  external_id: 'issue-7',
  status: 'in_progress',
  title: 'Building',
  summary: 'Turn 2',
} as const;

function onList(...runs: { id: number; external_id: string; app: { id: number } }[]): void {
  const check_runs = runs.map((run) => exampleItem(LIST, run, 'check_runs'));
  on(LIST, { at: { ref: head_sha }, answer: { total_count: runs.length, check_runs } });
}

const app = { id: REPOSITORY.appId };

test('the first one is created', async () => {
  onList();
  on(CREATE);
  await github.upsertCheckRun(running);
  expect(sent[0]?.query).toMatchObject({ app_id: '4242', filter: 'all' });
  expect(sent[1]?.body).toEqual({
    name: 'autobuild',
    head_sha,
    external_id: 'issue-7',
    status: 'in_progress',
    output: { title: 'Building', summary: 'Turn 2' },
  });
});

test('the next one updates its own, found by external_id and App', async () => {
  onList(
    { id: 1, external_id: 'issue-8', app },
    { id: 2, external_id: 'issue-7', app: { id: 1 } },
    { id: 3, external_id: 'issue-7', app },
  );
  on(UPDATE, { at: { check_run_id: 3 } });
  await github.upsertCheckRun({
    ...running,
    status: 'completed',
    conclusion: 'success',
    details_url: 'https://autobuild.example/runs/issue-7',
  });
  expect(sent[1]?.body).toEqual({
    name: 'autobuild',
    external_id: 'issue-7',
    status: 'completed',
    conclusion: 'success',
    details_url: 'https://autobuild.example/runs/issue-7',
    output: { title: 'Building', summary: 'Turn 2' },
  });
});

test('one that is completed needs a conclusion; one that is not has none', async () => {
  await expect(github.upsertCheckRun({ ...running, status: 'completed' })).rejects.toThrow('no conclusion');
  onList();
  on(CREATE);
  await github.upsertCheckRun({ ...running, conclusion: 'success' });
  expect(sent[1]?.body).not.toHaveProperty('conclusion');
});

test('a summary GitHub would refuse is not sent', async () => {
  await expect(github.upsertCheckRun({ ...running, summary: 'x'.repeat(65_536) })).rejects.toThrow('65535');
});

test('R-14: one whose id is known is updated at once, and the first one on a head is not looked for', async () => {
  on(UPDATE, { at: { check_run_id: 5 } });
  expect(await github.upsertCheckRun({ ...running, id: 5 })).toBe(5);
  on(CREATE, { answer: { id: 6 } });
  expect(await github.upsertCheckRun({ ...running, isFirst: true })).toBe(6);
  expect(sent.map(({ route }) => route)).toEqual([UPDATE, CREATE]);
});

test('one whose id is gone is looked for', async () => {
  on(UPDATE, { at: { check_run_id: 5 }, status: 404 });
  onList({ id: 3, external_id: 'issue-7', app });
  on(UPDATE, { at: { check_run_id: 3 } });
  expect(await github.upsertCheckRun({ ...running, id: 5 })).toBe(3);
});
