import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, Probot } from 'probot';

/** Probot with a handler that does nothing, without its own request log. Nothing is kept. Prints its port. */
const [, secret = ''] = process.argv.slice(2);
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const probot = new Probot({ appId: 1, privateKey, secret, logLevel: 'fatal' });
const middleware = await createNodeMiddleware((app) => void app.on('issues', () => undefined), { probot });
const server = createServer((request, response) => void middleware(request, response));
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
