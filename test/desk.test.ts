import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runDeskPart } from '../src/desk.ts';

let directory: string;
let printed: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-part-'));
  printed = '';
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const print = (text: string) => {
  printed += text;
};

/** Nobody answers at this address. */
function environment(body: string, changes: Record<string, string | undefined> = {}) {
  const payload = {
    action: 'created',
    sender: { login: 'rosa', type: 'User' },
    issue: { number: 7 },
    comment: { id: 1, body },
  };
  writeFileSync(join(directory, 'event.json'), JSON.stringify(payload));
  writeFileSync(join(directory, 'output'), '');
  return {
    INPUT_PART: 'desk',
    GITHUB_REPOSITORY: 'rosa/shop',
    GITHUB_REPOSITORY_ID: '77',
    GITHUB_RUN_ID: '900',
    GITHUB_WORKFLOW_REF: 'rosa/shop/.github/workflows/autobuild.yml@refs/heads/main',
    GITHUB_EVENT_NAME: 'issue_comment',
    GITHUB_EVENT_PATH: join(directory, 'event.json'),
    GITHUB_OUTPUT: join(directory, 'output'),
    GITHUB_SERVER_URL: 'http://127.0.0.1:9',
    GITHUB_API_URL: 'http://127.0.0.1:9',
    GITHUB_TOKEN: 'a token',
    RUNNER_TEMP: directory,
    AUTOBUILD_MODEL_KEY: 'a model key',
    ...changes,
  };
}

test('N-1: a comment without a command ends the part with one output, without a call and without a trace', async () => {
  expect(await runDeskPart(environment('Nice weather'), print)).toBe(true);
  expect(readFileSync(join(directory, 'output'), 'utf8')).toBe('next=none\n');
  expect(readdirSync(directory).toSorted()).toEqual(['event.json', 'output']);
});

test('N-1: a missing key is named with its remedy, and the part fails', async () => {
  expect(await runDeskPart(environment('/status', { AUTOBUILD_MODEL_KEY: undefined }), print)).toBe(false);
  expect(printed).toContain('model_key');
});
