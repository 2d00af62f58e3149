import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
function environment(body: string, changes: Record<string, string | undefined> = {}, labels: string[] = []) {
  const payload = {
    action: 'created',
    sender: { login: 'rosa', type: 'User' },
    issue: { number: 7, labels: labels.map((name) => ({ name })) },
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

/** An API with the comments of one issue. */
async function openComments() {
  const comments: { id: number; body: string; user: { login: string; type: string } }[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    if (request.method === 'POST') {
      const { body } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      comments.push({ id: comments.length + 1, body, user: { login: 'github-actions[bot]', type: 'Bot' } });
    }
    response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(request.method === 'POST' ? comments.at(-1) : comments));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { comments, url, close: () => server.close() };
}

test.each([
  ['a weak key', { AUTOBUILD_KEY: 'too short' }, 'openssl rand -base64 32 | gh secret set AUTOBUILD_KEY'],
  [
    'no model key',
    { AUTOBUILD_MODEL_KEY: undefined },
    'Set the secret that the workflow passes as `model_key`',
  ],
])(
  'N-2: %s is told on an issue with the label, once and without a code, and on no other',
  async (_, secrets, remedy) => {
    const { comments, url, close } = await openComments();
    try {
      const at = { ...secrets, GITHUB_API_URL: url };
      expect(await runDeskPart(environment('/status', at, ['bug']), print)).toBe(false);
      expect(comments).toEqual([]);
      for (let time = 0; time < 2; time += 1)
        expect(await runDeskPart(environment('/status', at, ['bug', 'autobuild']), print)).toBe(false);
      expect(comments).toHaveLength(1);
      expect(comments[0]?.body).toContain(remedy);
      expect(comments[0]?.body).not.toMatch(/ mac=|too short/);
      expect(printed).toContain(remedy);
    } finally {
      close();
    }
  },
);
