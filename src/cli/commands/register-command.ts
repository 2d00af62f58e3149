import { spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { userError } from '../../core/error-catalogue.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import { openOctokit } from '../../github/client/open-octokit.ts';
import { type AppDelivery, createAppSetUp } from '../../github/set-up/app-set-up.ts';
import { convertManifest, type RegisteredApp } from '../../github/set-up/convert-manifest.ts';
import { CREDENTIALS, environmentOf } from '../../register/credentials.ts';
import { namesInEnvFile, writeEnvFile } from '../../register/env-file.ts';
import { apiAddress, type GitHubHost } from '../../register/register-address.ts';
import { startRegisterServer } from '../../register/register-server.ts';
import { createAppToken } from '../doctor/app-token.ts';
import { type CliOptions, usage } from '../options.ts';

const MINUTE_MS = 60_000;
const HOST = /^[\w.-]+(:\d{1,5})?$/;
const ORG = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/;
/** GitHub's limit. */
const MOST_NAME = 34;

interface RegisterContext {
  print(line: string): void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  now(): Date;
  /** `http` for a GitHub on this machine. */
  protocol?: 'http' | 'https';
  openBrowser?(url: string): void;
  /** How long to wait for a person, then for a webhook; and between two looks. */
  waitMs?: number;
  lookMs?: number;
}

/** `autobuild register` makes the GitHub App from its manifest, and the file `.env` that the server reads. */
export async function registerCommand(options: CliOptions, context: RegisterContext): Promise<void> {
  const { print } = context;
  const { github, publicUrl, name } = readAnswers(options, context);
  const file = resolve(options.directory, '.env');
  refuseFile(file, options.force);
  const { waitMs = 10 * MINUTE_MS } = context;
  const octokit = openOctokit({ apiUrl: apiAddress(github) });
  const server = await startRegisterServer({
    github,
    name,
    publicUrl,
    convert: (code) => convertManifest(octokit, code),
    save: (app) => writeEnvFile(file, environmentOf(app, publicUrl, github)),
  });
  let app: RegisteredApp;
  try {
    print(`Open this page, and confirm the name on ${github.host}:\n  ${server.url}`);
    if (options.browser) (context.openBrowser ?? openBrowser)(server.url);
    app = await inTime(server.registered, context.signal, waitMs);
  } catch (error) {
    throw explain(error, github, file);
  } finally {
    await server.close();
  }
  print(`✓ ${app.name} is registered. Its credentials are in ${file}, which only you can read.`);
  if (github.host !== 'github.com')
    print(
      '! GitHub Enterprise Server has no artifacts of version 4: blocked reports and step summaries are not kept as artifacts there.',
    );
  print(`1. Start the server where ${publicUrl} leads to, with this file: autobuild serve`);
  print(`2. Install the App: ${app.url}/installations/new`);
  await awaitDelivery(app, github, context, waitMs);
  print('3. Prepare a repository: autobuild init');
}

function readAnswers(options: CliOptions, { protocol }: RegisterContext) {
  const { host = 'github.com', org, desk, name = 'Autobuild' } = options;
  if (!HOST.test(host)) throw usage('--host takes a host name, such as github.example.com.');
  if (org !== undefined && !ORG.test(org)) throw usage('--org takes the name of an organisation.');
  if (name.length > MOST_NAME || !/^[\w .-]+$/.test(name))
    throw usage(`--name takes up to ${MOST_NAME} letters, digits, blanks, dots and dashes.`);
  const url = desk !== undefined && URL.canParse(desk) ? new URL(desk) : undefined;
  if (url?.protocol !== 'https:' || url.search || url.hash || url.username)
    throw usage('--desk takes the https address at which GitHub will reach your server.');
  const github: GitHubHost = { host, org, protocol };
  return { github, name, publicUrl: url.href.replace(/\/+$/, '') };
}

/** Found out before an App exists on GitHub whose key could not be kept. */
function refuseFile(file: string, force: boolean): void {
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch {
    throw userError('env_unwritable', { file });
  }
  const names = namesInEnvFile(file, CREDENTIALS);
  if (names.length > 0 && !force) throw userError('env_exists', { file, names: names.join(', ') });
}

async function inTime<Value>(value: Promise<Value>, signal: AbortSignal, ms: number): Promise<Value> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(userError('register_stopped', { late: !signal.aborted }));
    if (late.aborted) stop();
    else late.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([value, aborted]);
}

function explain(error: unknown, { host }: GitHubHost, file: string): unknown {
  if (error instanceof GitHubError) {
    const isSpent = error.status === 404 || error.status === 422;
    return userError('register_refused', { host, reason: isSpent ? 'spent' : error.message });
  }
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && code.startsWith('E') ? userError('env_unwritable', { file }) : error;
}

/** The server is not running yet when GitHub sends its first webhook, so the first that arrives is waited for. */
async function awaitDelivery(
  app: RegisteredApp,
  github: GitHubHost,
  { print, signal, now, lookMs = 3_000 }: RegisterContext,
  waitMs: number,
): Promise<void> {
  const key = createPrivateKey(app.privateKey);
  const until = now().getTime() + waitMs;
  let told = '';
  print('Waiting for the first webhook that your server takes. Ctrl-C ends the wait; everything is saved.');
  while (!signal.aborted && now().getTime() < until) {
    const token = createAppToken({ id: app.id, key }, now());
    const deliveries = await createAppSetUp(openOctokit({ apiUrl: apiAddress(github), token }))
      .deliveries()
      .catch(() => [] as AppDelivery[]);
    const taken = deliveries.find(({ status_code }) => status_code >= 200 && status_code < 300);
    if (taken) return print(`✓ The webhook ${taken.event} arrived.`);
    const [newest] = deliveries;
    const words = newest ? `  ${newest.event} did not arrive: ${newest.status_code} ${newest.status}` : '';
    if (words !== told) print(words);
    told = words;
    await sleepFor(lookMs, undefined, { signal }).catch(() => undefined);
  }
  print('No webhook arrived yet. Later, this says whether they do: autobuild doctor --repo OWNER/NAME');
}

/** A machine without a browser has the printed address. */
function openBrowser(url: string): void {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '""', url]
        : ['xdg-open', url];
  const child = spawn(program ?? '', args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
