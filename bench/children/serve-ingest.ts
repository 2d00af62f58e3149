import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Hono } from 'hono';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createCounters } from '../../src/web/counters.ts';
import { createIngest } from '../../src/web/ingest.ts';
import type { JobApiEnv } from '../../src/web/jobs/job-api.ts';
import { createLog } from '../../src/web/log.ts';
import { createWebServer } from '../../src/web/server.ts';

/** Our server with our ingest. Each delivery is on the disk before it is answered. Prints its port. */
const [directory = '', secret = ''] = process.argv.slice(2);
const key = randomBytes(32).toString('base64');
const store = await openSqliteStore({ file: join(directory, 'desk.db'), key });
const log = createLog('warn', process.stderr);
const ingest = createIngest({
  secret,
  inbox: store.inbox,
  now: () => new Date(),
  log,
  counters: createCounters(),
  // As the server has it with SQLite.
  limits: { batchesAtOnce: 2 },
});
const server = createWebServer({
  ingest,
  jobs: new Hono<JobApiEnv>(),
  runs: new Hono(),
  operate: new Hono(),
  log,
});
console.log(await server.listen(0, '127.0.0.1'));
