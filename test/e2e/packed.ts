import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './processes.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/autobuild-pack');
const PARTS = [
  'package.json',
  'package-lock.json',
  'app.yml',
  'LICENSE',
  'README.md',
  '{bin,scripts,src,templates}/**/*.*',
];

/** What is installed has to start by the Node that runs the tests. */
export const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

/** What users get: the tarball, and a directory where it is installed globally. */
export interface Packed {
  tarball: string;
  /** `npm install --global --prefix` of it. */
  prefix: string;
}

/** Packs and installs once for all tests of a run, and again only if something that is packed changed. */
export async function packOnce(): Promise<Packed> {
  const directory = join(CACHE, digestOfParts());
  if (!existsSync(directory)) await alone(() => pack(directory));
  return { tarball: join(directory, 'autobuild-agent.tgz'), prefix: join(directory, 'global') };
}

async function pack(directory: string): Promise<void> {
  if (existsSync(directory)) return;
  for (const old of readdirSync(CACHE)) if (old !== 'lock') rmSync(join(CACHE, old), { recursive: true });
  const made = mkdtempSync(join(CACHE, 'made-'));
  const packed = await npm(['pack', '--silent', '--pack-destination', made], { cwd: ROOT });
  const tarball = join(made, 'autobuild-agent.tgz');
  renameSync(join(made, packed.stdout.trim().split('\n').at(-1) ?? ''), tarball);
  await npm(['install', '--global', '--prefix', join(made, 'global'), tarball], { cwd: made });
  renameSync(made, directory);
}

/** `npm pack` writes into the clone, so test files that run at the same time take turns. */
async function alone(work: () => Promise<void>): Promise<void> {
  const lock = join(CACHE, 'lock');
  mkdirSync(CACHE, { recursive: true });
  await until('no other test packs', () => takeLock(lock));
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
    // A process that was killed leaves its lock.
    if (holder > 0 && !existsSync(`/proc/${holder}`)) rmSync(lock, { force: true });
    return false;
  }
}

/** npm without the network: the package brings everything it needs. */
export function npm(args: string[], { cwd, env = {} }: { cwd: string; env?: Record<string, string> }) {
  const quiet = ['--offline', '--no-audit', '--no-fund', '--no-update-notifier'];
  return promisify(execFile)('npm', [...args, ...quiet], { cwd, env: { ...process.env, PATH, ...env } });
}

function digestOfParts(): string {
  const hash = createHash('sha256');
  const files = globSync(PARTS, { cwd: ROOT }).toSorted();
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}
