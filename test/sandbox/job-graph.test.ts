import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../e2e-github/until.ts';
import { checkRequest, checkResponse } from '../github/openapi-contract.ts';
import { type LocalActions, openLocalActions, REPOSITORY } from './local-actions.ts';

const GRAPH = `
name: graph
run-name: 'graph \${{ inputs.name }}'
on: { workflow_dispatch: { inputs: { name: { required: true }, fast: { type: boolean, default: false } } } }
jobs:
  desk:
    steps: []
  build:
    needs: desk
    if: needs.desk.outputs.next == 'build' && !inputs.fast
    steps: []
  verify:
    needs: [desk, build]
    if: '!cancelled() && (needs.desk.outputs.next == ''verify'' || needs.build.outputs.complete == ''true'')'
    steps: []
  plain:
    needs: verify
    steps: []
  deliver:
    needs: [desk, build, verify]
    if: always() && needs.desk.outputs.next != ''
    steps: []
`;
const GROUPS = `
name: groups
on: { workflow_dispatch: { inputs: { issue: { required: true } } } }
jobs:
  desk:
    concurrency: { group: 'desk-\${{ inputs.issue }}' }
    steps: []
  free:
    steps: []
  after:
    needs: desk
    if: always()
    steps: []
`;

let actions: LocalActions;
beforeAll(async () => {
  actions = await openLocalActions({ workflows: { 'graph.yml': GRAPH, 'groups.yml': GROUPS } });
});
afterAll(() => actions.github.close());

async function dispatch(file: string, inputs: Record<string, unknown>) {
  const path = `${REPOSITORY}/actions/workflows/${file}/dispatches`;
  const { body } = await actions.github.callAs('olivia', 'POST', path, {
    ref: 'main',
    inputs,
    return_run_details: true,
  });
  const id = (body as { workflow_run_id: number }).workflow_run_id;
  const job = (key: string) =>
    until(`job ${key}`, () => actions.started.find(({ job }) => job.id === id && job.job === key));
  const row = () => actions.github.workflows.runs.find((run) => run.id === id);
  const ended = () => until('its end', () => (row()?.status === 'completed' ? row() : undefined));
  return { id, job, row, ended };
}

const results = (run: { jobs: { job: string; conclusion: string | null }[] } | undefined) =>
  Object.fromEntries(run?.jobs.map(({ job, conclusion }) => [job, conclusion]) ?? []);

test('jobs run in the order of `needs`, with the outputs of those before them', async () => {
  const run = await dispatch('graph.yml', { name: 'one' });
  expect(run.row()?.name).toBe('graph one');
  (await run.job('desk')).end('success', { next: 'build' });
  const build = await run.job('build');
  expect(build.job.contexts).toMatchObject({
    needs: { desk: { result: 'success', outputs: { next: 'build' } } },
    inputs: { name: 'one', fast: false },
  });
  build.end('success', { complete: 'true' });
  (await run.job('verify')).end();
  (await run.job('plain')).end();
  (await run.job('deliver')).end();
  expect(await run.ended()).toMatchObject({ conclusion: 'success' });
});

test('`always()` runs after a failure; what does not ask for it does not run, however far behind', async () => {
  const run = await dispatch('graph.yml', { name: 'two' });
  (await run.job('desk')).end('success', { next: 'build' });
  (await run.job('build')).end('failure', { complete: 'true' });
  (await run.job('verify')).end();
  (await run.job('deliver')).end();
  expect(results(await run.ended())).toEqual({
    desk: 'success',
    build: 'failure',
    verify: 'success',
    // Its own need succeeded, but one before that did not.
    plain: 'skipped',
    deliver: 'success',
  });
  expect(run.row()?.conclusion).toBe('failure');
});

test('a job that was skipped has no outputs, and those that need it are skipped unless they ask', async () => {
  const run = await dispatch('graph.yml', { name: 'three', fast: true });
  (await run.job('desk')).end('success', { next: 'verify' });
  (await run.job('verify')).end();
  (await run.job('deliver')).end();
  expect(results(await run.ended())).toMatchObject({ build: 'skipped', verify: 'success', plain: 'skipped' });
});

test('a run that is cancelled stops its jobs; `always()` still runs', async () => {
  const run = await dispatch('graph.yml', { name: 'four' });
  (await run.job('desk')).end('success', { next: 'build' });
  await run.job('build');
  const path = `${REPOSITORY}/actions/runs/${run.id}/cancel`;
  expect((await actions.github.callAs('olivia', 'POST', path)).status).toBe(202);
  (await run.job('deliver')).end();
  expect(results(await run.ended())).toMatchObject({
    build: 'cancelled',
    verify: 'cancelled',
    deliver: 'success',
  });
  expect(run.row()?.conclusion).toBe('cancelled');
});

test('of the jobs of a group one works and one waits; a newer one replaces the one that waits', async () => {
  const first = await dispatch('groups.yml', { issue: '7' });
  const working = await first.job('desk');
  const second = await dispatch('groups.yml', { issue: '7' });
  const third = await dispatch('groups.yml', { issue: '7' });
  const elsewhere = await dispatch('groups.yml', { issue: '8' });
  // The group holds up one job, not the run.
  for (const run of [first, second, third]) (await run.job('free')).end();
  for (const key of ['free', 'desk', 'after']) (await elsewhere.job(key)).end();
  (await second.job('after')).end();
  expect(results(await second.ended())).toMatchObject({ desk: 'cancelled', after: 'success' });
  expect(third.row()?.jobs.find(({ job }) => job === 'desk')?.status).toBe('pending');
  working.end();
  (await third.job('desk')).end();
  for (const run of [first, third]) (await run.job('after')).end();
  expect(results(await third.ended())).toEqual({ desk: 'success', free: 'success', after: 'success' });
  await first.ended();
  expect(actions.started.filter(({ job }) => job.id === second.id && job.job === 'desk')).toEqual([]);
});

test('a run is run again as another attempt, with the same event and fresh jobs', async () => {
  const run = await dispatch('groups.yml', { issue: '9' });
  const rerun = `${REPOSITORY}/actions/runs/${run.id}/rerun`;
  expect((await actions.github.callAs('olivia', 'POST', rerun)).status).toBe(403);
  for (const key of ['desk', 'free', 'after']) (await run.job(key)).end();
  await run.ended();
  expect((await actions.github.callAs('olivia', 'POST', rerun)).status).toBe(201);
  const again = (key: string) =>
    until(`${key} again`, () =>
      actions.started.find(({ job }) => job.id === run.id && job.attempt === 2 && job.job === key),
    );
  const desk = await again('desk');
  expect(desk.job).toMatchObject({ inputs: { issue: '9' }, contexts: { github: { run_attempt: '2' } } });
  desk.end('failure');
  for (const key of ['free', 'after']) (await again(key)).end();
  expect(await run.ended()).toMatchObject({ conclusion: 'failure', attempt: 2 });
});

test('the jobs of a run are told as GitHub describes them', async () => {
  const { id } = actions.github.workflows.runs[0] ?? { id: 0 };
  for (const path of [`${REPOSITORY}/actions/runs/${id}/jobs`, `${REPOSITORY}/actions/runs/${id}`]) {
    const answer = await actions.github.callAs('olivia', 'GET', path);
    expect(checkRequest('GET', path)).toEqual([]);
    expect(checkResponse('GET', path, answer.status, answer.body)).toEqual([]);
  }
});

test('the failed jobs of a run are run again with those that need them, and the others keep their outputs', async () => {
  const run = await dispatch('graph.yml', { name: 'x' });
  (await run.job('desk')).end('success', { next: 'build' });
  (await run.job('build')).end('failure');
  (await run.job('deliver')).end();
  expect(await run.ended()).toMatchObject({ conclusion: 'failure' });
  const { workflows } = actions.github;
  expect(workflows.rerun(run.id, 'failed')).toBe(true);
  const again = (key: string) =>
    until(`${key} again`, () =>
      actions.started.find(({ job }) => job.id === run.id && job.attempt === 2 && job.job === key),
    );
  (await again('build')).end();
  const deliver = await again('deliver');
  expect(deliver.job.contexts).toMatchObject({ needs: { desk: { outputs: { next: 'build' } } } });
  deliver.end();
  expect(await run.ended()).toMatchObject({ conclusion: 'success', attempt: 2 });
  expect(actions.started.filter(({ job }) => job.id === run.id && job.job === 'desk')).toHaveLength(1);
});
