import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openOctokit } from '../github/client/open-octokit.ts';
import { convertManifest } from '../github/set-up/convert-manifest.ts';
import { environmentOf } from './credentials.ts';
import { writeEnvFile } from './env-file.ts';
import { apiAddress, type GitHubHost } from './register-address.ts';
import { createRegisterFlow } from './register-flow.ts';
import { renderPage } from './register-page.ts';

const LOCAL_NAME = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
const LOCAL_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;

interface SetUp {
  publicUrl: string;
  host: string;
  port: number;
  github: GitHubHost;
}

/**
 * A server without credentials serves the registration at `/setup`: to this machine, or to those who know the one-time code from
 * its log. True once the App is registered and its credentials are in `file`, false if it was stopped before.
 */
export async function serveSetUp(
  { publicUrl, host, port, github }: SetUp,
  { file, print, stopped }: { file: string; print(line: string): void; stopped: Promise<unknown> },
): Promise<boolean> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const local = `localhost:${(server.address() as AddressInfo).port}`;
  const code = randomBytes(12).toString('base64url');
  const octokit = openOctokit({ apiUrl: apiAddress(github) });
  const flowAt = (origin: string) =>
    createRegisterFlow({
      github,
      publicUrl,
      name: 'Autobuild',
      pageUrl: `${origin}/setup/${code}`,
      convert: (given) => convertManifest(octokit, given),
      save: (app) => writeEnvFile(file, environmentOf(app, publicUrl, github)),
    });
  const [here, outside] = [flowAt(`http://${local}`), flowAt(publicUrl)];
  server.on('request', (request, response) => {
    const flow = request.headers.host === local ? here : outside;
    void flow.handle(request, response).then((isOurs) => {
      if (!isOurs) lead(request, response, `http://${local}/setup/${code}`);
    });
  });
  print(
    `There are no credentials of a GitHub App yet. Register one: http://${local}/setup on this machine, or ${publicUrl}/setup/${code}`,
  );
  try {
    const registered = Promise.race([here.registered, outside.registered]).then(() => true);
    return await Promise.race([registered, stopped.then(() => false)]);
  } finally {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
  }
}

/** Every other request. Behind a proxy on the same machine, all requests come from this machine, so their headers count, too. */
function lead(request: IncomingMessage, response: ServerResponse, page: string): void {
  const { headers, socket, url } = request;
  const isLocal =
    LOCAL_ADDRESS.test(socket.remoteAddress ?? '') &&
    LOCAL_NAME.test(headers.host ?? '') &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined;
  const common = { 'cache-control': 'no-store', connection: 'close' };
  if (url !== '/setup') return void response.writeHead(503, common).end('not set up yet\n');
  if (isLocal) return void response.writeHead(303, { ...common, location: page }).end();
  const html = '<p>Open the address with the one-time code, which is in the log of the server.</p>';
  response.writeHead(403, { ...common, 'content-type': 'text/html; charset=utf-8' });
  response.end(renderPage('Not set up yet', html));
}
