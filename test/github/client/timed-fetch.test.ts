import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Octokit } from '@octokit/rest';
import { expect, onTestFinished, test } from 'vitest';
import { createTimedFetch } from '../../../src/github/client/timed-fetch.ts';
import { createGitHub } from '../../../src/github/github.ts';

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** GitHub played by a real server, so that a stalled connection is a real one. */
async function serve(listener: RequestListener, timeoutMs?: number) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const octokit = new Octokit({ baseUrl, log, request: { fetch: createTimedFetch(timeoutMs) } });
  return createGitHub(octokit, { owner: 'alice', repo: 'demo', appId: 1 });
}

test('a server that never answers: the permission is not known', async () => {
  const github = await serve(() => undefined, 200);
  await expect(github.permission('bob')).rejects.toMatchObject({ name: 'GitHubError', status: 500 });
});

test('an answer that stalls half-way is no answer', async () => {
  const github = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('[');
  }, 200);
  await expect(github.comments(7)).rejects.toThrow('GitHub did not answer GET');
});

test('an answer that breaks off is no answer', async () => {
  const github = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('[', () => response.destroy());
  });
  await expect(github.comments(7)).rejects.toThrow('GitHub did not answer GET');
});

test('an answer in time arrives whole, and one without a body too', async () => {
  const github = await serve((request, response) => {
    if (request.method === 'DELETE') response.writeHead(204).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  expect(await github.comments(7)).toEqual([]);
  await github.deleteComment(11);
});
