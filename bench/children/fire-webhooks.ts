import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';

/** Sends a fixed number of signed webhooks over some connections, and prints what came of it as JSON. */
interface Result {
  '2xx': number;
  non2xx: number;
  errors: number;
  latency: { p99: number };
}
interface Running extends Promise<Result> {
  on(event: 'response', listener: () => void): void;
}
type Autocannon = (options: object) => Running;

const [url = '', secret = '', amount = '1', connections = '1', bytes = '1000'] = process.argv.slice(2);
// It has no types of its own.
const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;
const body = sampleBody(Number(bytes));
let first = Number.NaN;
let last = Number.NaN;
const running = autocannon({
  url,
  method: 'POST',
  body,
  amount: Number(amount),
  connections: Number(connections),
  idReplacement: true,
  headers: {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    // Filled in anew for each request, so that none is a duplicate.
    'x-github-delivery': '[<id>]',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  },
});
// Its own duration counts whole seconds.
running.on('response', () => {
  last = performance.now();
  if (Number.isNaN(first)) first = last;
});
const result = await running;
const { non2xx, errors, latency } = result;
const seconds = (last - first) / 1000;
console.log(JSON.stringify({ taken: result['2xx'], non2xx, errors, seconds, p99: latency.p99 }));

/** About as long as what GitHub sends for an issue. */
function sampleBody(length: number): string {
  const payload = {
    action: 'edited',
    issue: { number: 7, title: 'Add a login page', body: '' },
    repository: { id: 77, name: 'shop', owner: { login: 'rosa' } },
    sender: { login: 'rosa', type: 'User' },
  };
  payload.issue.body = 'x'.repeat(Math.max(0, length - JSON.stringify(payload).length));
  return JSON.stringify(payload);
}
