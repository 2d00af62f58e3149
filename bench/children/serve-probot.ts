import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Probot, Server } from 'probot';

/** Probot's own server with a handler that does nothing, without its log and without storage. Prints its port. */
const [, secret = ''] = process.argv.slice(2);
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const port = await findFreePort();
const server = new Server({
  host: '127.0.0.1',
  port,
  // Otherwise it writes a line for every request.
  log: pino({ level: 'silent' }),
  Probot: Probot.defaults({ appId: 1, privateKey, secret }),
});
await server.load((app) => void app.on('issue_comment', () => undefined));
await server.start();
console.log(port);

/** Probot replaces port 0 by its default. */
async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port: free } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return free;
}
