import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { percentile } from '../statistics.ts';

/**
 * Sends signed webhooks over several connections, each after the one before was answered, and prints the results as
 * JSON. The first ones are not counted, because a server runs for weeks and not for its first second. It uses plain
 * sockets and one prepared request, because a general HTTP client takes about as long per request as the servers and
 * would be measured, too.
 */
const [url = '', secret = '', warmUp = '0', amount = '1', connections = '1'] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(url);
const ID_HEADER = 'x-github-delivery: ';
const DEADLINE_MS = 50_000;
const TICKS_PER_MS = 10_000;
/** The time of a UUID is counted from the first day of the Gregorian calendar, 15 October 1582. */
const GREGORIAN_MS = 12_219_292_800_000;
const firstTick = BigInt(Date.now() + GREGORIAN_MS) * BigInt(TICKS_PER_MS);
let lastTick = 0n;

const body = Buffer.from(JSON.stringify(sampleComment()));
const head = [
  `POST ${pathname} HTTP/1.1`,
  `host: ${hostname}:${port}`,
  'user-agent: GitHub-Hookshot/044aadd',
  'accept: */*',
  'content-type: application/json',
  `content-length: ${body.length}`,
  'x-github-event: issue_comment',
  'x-github-hook-id: 292430182',
  'x-github-hook-installation-target-id: 79929171',
  'x-github-hook-installation-target-type: integration',
  `x-hub-signature-256: sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  `${ID_HEADER}${nextId()}`,
];
const request = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
const idAt = request.indexOf(ID_HEADER) + ID_HEADER.length;

interface Load {
  left: number;
  latencies: number[];
  taken: number;
}

await sendAll(Number(warmUp));
const begin = performance.now();
const { taken, latencies } = await sendAll(Number(amount));
const seconds = (performance.now() - begin) / 1000;
const refused = latencies.length - taken;
console.log(
  JSON.stringify({ taken, refused, seconds, bytes: body.length, p99: percentile(latencies, 0.99) }),
);

async function sendAll(amountOfAll: number): Promise<Load> {
  const load: Load = { left: amountOfAll, latencies: [], taken: 0 };
  await Promise.all(Array.from({ length: Number(connections) }, () => sendInTurn(load)));
  return load;
}

/** Uses one connection while webhooks are left. */
function sendInTurn(load: Load): Promise<void> {
  const own = Buffer.from(request);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let sentAt = 0;
    let received = '';
    const send = () => {
      if (load.left === 0) return socket.end();
      load.left -= 1;
      // A new id for each, so that none is a duplicate.
      own.write(nextId(), idAt, 'latin1');
      received = '';
      sentAt = performance.now();
      socket.write(own);
    };
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error('The server does not answer.')));
    socket
      .on('connect', send)
      .on('error', reject)
      .on('close', () => resolve());
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!isWhole(received)) return;
      load.latencies.push(performance.now() - sentAt);
      if (received.startsWith('HTTP/1.1 2')) load.taken += 1;
      send();
    });
  });
}

/**
 * Ids as GitHub makes them, which are UUIDs of version 1: they begin with the low half of a time in units of 100 ns, so
 * that neighbours in time are neighbours in an index.
 */
function nextId(): string {
  const sinceStart = BigInt(Math.floor(performance.now() * TICKS_PER_MS));
  lastTick = sinceStart > lastTick ? sinceStart : lastTick + 1n;
  const time = (firstTick + lastTick).toString(16).padStart(15, '0');
  return `${time.slice(7)}-${time.slice(3, 7)}-1${time.slice(0, 3)}-81e1-c7b6966d2516`;
}

/** Both servers send the length of their answers. */
function isWhole(response: string): boolean {
  const end = response.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: (\d+)$/im.exec(response.slice(0, end).replaceAll('\r', ''));
  return response.length >= end + 4 + Number(length?.[1] ?? 0);
}

/** The payload that GitHub sends to an App for a comment. */
function sampleComment(): unknown {
  const events = createRequire(import.meta.url)('@octokit/webhooks-examples') as {
    name: string;
    examples: { installation?: object }[];
  }[];
  const comments = events.find(({ name }) => name === 'issue_comment')?.examples ?? [];
  return comments.find(({ installation }) => installation);
}
