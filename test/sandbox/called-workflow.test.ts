import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../e2e-github/until.ts';
import { type LocalActions, openLocalActions, REPOSITORY } from './local-actions.ts';

const RUN = `
name: run
on:
  workflow_call:
    inputs:
      setup: { type: string, default: npm ci }
      rounds: { type: number, default: 3 }
      checked: { type: boolean }
      agent: { type: string, required: true }
    secrets:
      model_key: { required: true }
      state_key:
    outputs:
      issue: { value: '\${{ jobs.desk.outputs.issue }} by \${{ inputs.agent }}' }
jobs:
  desk:
    permissions: { contents: write, issues: write }
    concurrency: desk-\${{ github.event.inputs.issue }}
    steps: []
  build:
    needs: desk
    permissions: { contents: read }
    steps: []
`;
const caller = (
  permissions: string,
  secrets = `model_key: '\${{ secrets.MODEL }}'`,
  agent = 'agent: claude,',
) => `
name: autobuild
on: { workflow_dispatch: { inputs: { issue: { required: true } } } }
permissions: {}
jobs:
  autobuild:
    permissions: ${permissions}
    uses: acme/autobuild/.github/workflows/run.yml@0123456789012345678901234567890123456789
    with: { ${agent} rounds: 5 }
    secrets: { ${secrets} }
  after:
    needs: autobuild
    if: needs.autobuild.outputs.issue == '7 by claude'
    steps: []
`;

let actions: LocalActions;
beforeAll(async () => {
  actions = await openLocalActions({
    workflows: {
      'good.yml': caller('{ contents: write, issues: write }'),
      'greedy.yml': caller('{ contents: write }'),
      'no-key.yml': caller('{ contents: write, issues: write }', `state_key: '\${{ secrets.STATE }}'`),
      'no-agent.yml': caller('{ contents: write, issues: write }', "model_key: 'x'", ''),
    },
    secrets: { MODEL: 'the-model-key', STATE: 'the-state-key' },
    called: { 'acme/autobuild/.github/workflows/run.yml': RUN },
  });
});
afterAll(() => actions.github.close());

async function dispatch(file: string) {
  const path = `${REPOSITORY}/actions/workflows/${file}/dispatches`;
  const inputs = { issue: '7' };
  const body = { ref: 'main', inputs, return_run_details: true };
  const answer = await actions.github.callAs('olivia', 'POST', path, body);
  const id = (answer.body as { workflow_run_id: number }).workflow_run_id;
  return () => actions.github.workflows.runs.find((run) => run.id === id);
}

test('a called workflow has the inputs by their types, the secrets it is given, and the caller’s event', async () => {
  const row = await dispatch('good.yml');
  const desk = await actions.job('desk');
  expect(desk.job).toMatchObject({ jobName: 'autobuild / desk', event: 'workflow_dispatch' });
  expect(desk.job.contexts).toMatchObject({
    inputs: { setup: 'npm ci', rounds: 5, checked: false, agent: 'claude' },
    github: { event: { inputs: { issue: '7' } }, workflow: 'autobuild' },
  });
  expect(desk.job.contexts.inputs).not.toHaveProperty('issue');
  expect(desk.job.contexts.github.workflow_ref).toBe(
    'olivia/shop/.github/workflows/good.yml@refs/heads/main',
  );
  expect(desk.job.contexts.secrets).toEqual({ model_key: 'the-model-key', GITHUB_TOKEN: desk.job.token });
  expect((await desk.call('GET', '/issues')).status).toBe(200);
  desk.end('success', { issue: '7' });
  const build = await actions.job('build');
  expect((await build.call('GET', '/issues')).status).toBe(403);
  build.end();
  (await actions.job('after')).end();
  await until('its end', () => row()?.status === 'completed');
  expect(row()?.jobs.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['autobuild / desk', 'success'],
    ['autobuild / build', 'success'],
    ['after', 'success'],
  ]);
});

test.each([
  ['greedy.yml', "The nested job 'desk' is requesting 'issues: write', but is only allowed 'issues: none'."],
  ['no-key.yml', 'run.yml: Secret model_key is required, but not provided.'],
  ['no-agent.yml', "run.yml: Required input 'agent' not provided"],
])('nothing of a run starts that asks for too much or gives too little: %s', async (file, problem) => {
  const before = actions.started.length;
  const row = await dispatch(file);
  await until('its end', () => row()?.status === 'completed');
  expect(row()).toMatchObject({ conclusion: 'startup_failure', problem });
  expect(actions.started).toHaveLength(before);
});
