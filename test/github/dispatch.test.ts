import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { useGitHubApi } from './github-api.ts';

const DISPATCH = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
const WORKFLOW = 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}';
const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';

const { on, sent, github } = useGitHubApi();
const at = { workflow_id: 'autobuild.yml', path: '.github/workflows/autobuild.yml' };
const inputs = { ticket: 't', issue: '7' };

test('a dispatch that answers with the run gives its id', async () => {
  on(DISPATCH, { at, status: 200, answer: { workflow_run_id: 77 } });
  expect(await github.dispatchWorkflow('autobuild.yml', 'main', inputs)).toEqual({ run_id: 77 });
  expect(sent[0]?.body).toEqual({ ref: 'main', inputs, return_run_details: true });
});

test('a dispatch that answers with nothing gives no id', async () => {
  on(DISPATCH, { at, status: 204 });
  expect(await github.dispatchWorkflow('autobuild.yml', 'main', inputs)).toEqual({ run_id: undefined });
});

test('a server that does not know return_run_details is asked without it', async () => {
  const message = 'Invalid request. "return_run_details" is not a permitted key.';
  on(DISPATCH, { at, status: 422, answer: { message } });
  on(DISPATCH, { at, status: 204 });
  expect(await github.dispatchWorkflow('autobuild.yml', 'main', inputs)).toEqual({ run_id: undefined });
  expect(sent[1]?.body).toEqual({ ref: 'main', inputs });
});

test.each([
  [422, 'No ref found for: gone'],
  [422, "Workflow does not have 'workflow_dispatch' trigger"],
  [404, 'Not Found'],
])('a dispatch that cannot be (%i %s) is an error, sent once', async (status, message) => {
  on(DISPATCH, { at, status, answer: { message } });
  const error = await github.dispatchWorkflow('autobuild.yml', 'gone', inputs).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'GitHubError', status });
  expect(error.message).toContain(message);
});

test.each([{ status: 500, answer: { message: 'Server Error' } }, { broken: new Error('socket hang up') }])(
  'R-11: the ticket is nowhere in the error of a failed dispatch: %j',
  async (failure) => {
    on(DISPATCH, { at, ...failure });
    const ticket = 'a-very-secret-ticket';
    const error = await github
      .dispatchWorkflow('autobuild.yml', 'main', { ticket })
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'GitHubError', status: 500 });
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(ticket);
  },
);

test('inputs beyond what GitHub takes are refused before they are sent', async () => {
  const many = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`key${index}`, '']));
  await expect(github.dispatchWorkflow('autobuild.yml', 'main', many)).rejects.toThrow('26 inputs');
  const long = { ticket: 'x'.repeat(65_536) };
  await expect(github.dispatchWorkflow('autobuild.yml', 'main', long)).rejects.toThrow('was not dispatched');
});

test.each([
  ['active', 'there'],
  ['disabled_manually', 'disabled'],
  ['disabled_inactivity', 'disabled'],
  ['deleted', 'missing'],
])('a workflow whose state is %s is %s', async (state, expected) => {
  on(WORKFLOW, { at, answer: { state } });
  expect(await github.workflow('autobuild.yml')).toBe(expected);
});

test('no workflow and no file: missing', async () => {
  on(WORKFLOW, { at, status: 404 });
  on(CONTENTS, { at, status: 404 });
  expect(await github.workflow('autobuild.yml')).toBe('missing');
});

test('no workflow although the file is there: Actions are disabled', async () => {
  on(WORKFLOW, { at, status: 404 });
  on(CONTENTS, { at });
  expect(await github.workflow('autobuild.yml')).toBe('disabled');
});
