import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createCounters } from '../../src/web/counters.ts';
import { createOperate } from '../../src/web/operate.ts';

/** Run under a limit on the size of files: asks after the desk's health before its store is full, and then. */
const [file = '', key = ''] = process.argv.slice(2);
const MOST_WRITES = 1_000;

let ms = 0;
const store = await openSqliteStore({ file, key });
const operate = createOperate({
  store,
  counters: createCounters(),
  workers: () => [],
  now: () => new Date(ms),
});
const health = async () => {
  const response = await operate.request('/healthz');
  return { status: response.status, ...((await response.json()) as object) };
};

const before = await health();
let refused = '';
for (let count = 0; count < MOST_WRITES && refused === ''; count += 1)
  await store.cursors.set('labels', 'rosa/shop', { read_at: String(count) }).catch((error: Error) => {
    refused = error.name;
  });
// Answers are shared for a second.
ms += 1_000;
const after = await health();
const reads = (await store.runs.list(1)).length === 0;
process.stdout.write(JSON.stringify({ before, refused, after, reads }));
await store.close().catch(() => undefined);
