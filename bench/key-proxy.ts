import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { openKeyProxy } from '../src/runner/key-proxy/key-proxy.ts';
import type { Figure } from './figure.ts';
import { median, percentile, round } from './statistics.ts';

const ROUNDS = 150;
const CHUNKS = 8;

/** A model that streams: each chunk says when it was sent, by the machine's own clock. */
const MODEL = `
const { createServer } = require('node:http');
const { parentPort } = require('node:worker_threads');
const { setTimeout: sleep } = require('node:timers/promises');
const server = createServer(async (request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let chunk = 0; chunk < ${CHUNKS}; chunk += 1) {
    response.write('data: ' + process.hrtime.bigint() + '\\n\\n');
    await sleep(2);
  }
  response.end();
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

interface Timing {
  firstByteMs: number;
  chunkMs: number[];
}

/** What holding back the key costs an agent, on top of the model's own time: both ways in turn. */
export const keyProxy: Figure = {
  id: 'key-proxy',
  title: 'first byte of a streamed answer through the key proxy, as a multiple of direct',
  unit: '×',
  better: 'lower',
  async measure() {
    const model = new Worker(MODEL, { eval: true });
    const [port] = (await once(model, 'message')) as [number];
    const upstream = new URL(`http://127.0.0.1:${port}/v1/`);
    const proxy = await openKeyProxy({
      upstream,
      paths: ['/messages'],
      keys: new Map([['x-api-key', 'the-real-key']]),
      env: {},
    });
    try {
      const direct: Timing[] = [];
      const through: Timing[] = [];
      for (let at = 0; at <= ROUNDS; at += 1) {
        const one = await ask(`${upstream}messages`, 'any');
        const other = await ask(`${proxy.url}/messages`, proxy.dummy);
        // The first round opens the connections.
        if (at > 0) direct.push(one);
        if (at > 0) through.push(other);
      }
      const first = (timings: Timing[]) => timings.map(({ firstByteMs }) => firstByteMs);
      const chunks = (timings: Timing[]) => timings.flatMap(({ chunkMs }) => chunkMs);
      return {
        value: median(first(through)) / median(first(direct)),
        detail: {
          rounds: ROUNDS,
          first_byte_direct_p50_ms: round(median(first(direct))),
          first_byte_through_p50_ms: round(median(first(through))),
          first_byte_through_p99_ms: round(percentile(first(through), 0.99)),
          chunk_direct_p50_ms: round(median(chunks(direct))),
          chunk_through_p50_ms: round(median(chunks(through))),
          chunk_through_p99_ms: round(percentile(chunks(through), 0.99)),
        },
      };
    } finally {
      await proxy.close();
      await model.terminate();
    }
  },
};

async function ask(url: string, key: string): Promise<Timing> {
  const begin = performance.now();
  const response = await fetch(url, { method: 'POST', headers: { 'x-api-key': key }, body: '{}' });
  if (!response.ok || !response.body) throw new Error(`the answer is ${response.status}`);
  let firstByteMs = 0;
  const chunkMs: number[] = [];
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    if (chunkMs.length === 0) firstByteMs = performance.now() - begin;
    for (const [, sent = '0'] of bytes.matchAll(/data: (\d+)/g))
      chunkMs.push(Number(process.hrtime.bigint() - BigInt(sent)) / 1e6);
  }
  if (chunkMs.length !== CHUNKS) throw new Error(`${chunkMs.length} chunks came of ${CHUNKS}`);
  return { firstByteMs, chunkMs };
}
