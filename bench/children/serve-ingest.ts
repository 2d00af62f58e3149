import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createCounters } from '../../src/web/counters.ts';
import { createIngest } from '../../src/web/ingest.ts';
import { createLog } from '../../src/web/log.ts';

/** Our ingest: each delivery is on the disk before it is answered. Prints its port; the end of stdin ends it. */
const [directory = '', secret = ''] = process.argv.slice(2);
const key = randomBytes(32).toString('base64');
const store = await openSqliteStore({ file: join(directory, 'desk.db'), key });
const ingest = createIngest({
  secret,
  inbox: store.inbox,
  now: () => new Date(),
  log: createLog('warn', process.stderr),
  counters: createCounters(),
});
const server = createServer((request, response) => void ingest.handle(request, response));
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
