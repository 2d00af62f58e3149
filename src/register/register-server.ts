import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RegisteredApp } from '../github/set-up/convert-manifest.ts';
import { createRegisterFlow, type RegisterFlowOptions } from './register-flow.ts';

interface RegisterServer {
  /** The page to open. Its path is secret, because every user of the machine reaches the port. */
  url: string;
  registered: Promise<RegisteredApp>;
  close(): Promise<void>;
}

/** Serves the pages of the registration to this machine alone, on a free port. */
export async function startRegisterServer(
  options: Omit<RegisterFlowOptions, 'pageUrl'>,
): Promise<RegisterServer> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/${randomBytes(12).toString('base64url')}`;
  const flow = createRegisterFlow({ ...options, pageUrl: url });
  server.on('request', (request, response) => {
    void flow.handle(request, response).then((isOurs) => {
      if (!isOurs) response.writeHead(404, { connection: 'close' }).end();
    });
  });
  return {
    url,
    registered: flow.registered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}
