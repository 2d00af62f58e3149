import { createPrivateKey } from 'node:crypto';
import { userError } from '../core/error-catalogue.ts';
import { MIN_SECRET_LENGTH } from './ingest.ts';

export interface Settings {
  appId: number;
  privateKey: string;
  webhookSecret: string;
  /** The URL of a PostgreSQL database. If absent, `databaseFile` is used. */
  databaseUrl?: string;
  databaseFile?: string;
  /** Keys for encryption at rest. The first one seals, all of them open. */
  keys: string;
  /** The server's URL for GitHub, jobs and people, without a trailing slash. */
  publicUrl: string;
  host: string;
  port: number;
  /** The URL of GitHub's REST API. */
  apiUrl: string;
  /** The URL of GitHub's web pages, for links, without a trailing slash. */
  webUrl: string;
  logLevel: string;
  /** The label that starts a run. */
  label: string;
  /** The App's OAuth client, by which people sign in. Without it there are no pages. */
  oauth?: { clientId: string; clientSecret: string };
  /** A Slack-compatible webhook that every question is posted to. */
  notifyUrl?: string;
}

type Env = Record<string, string | undefined>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const KEY_BYTES = 32;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Reports all problems at once, each with the variable's name and the expected value, never the actual one. */
export function readSettings(env: Env, readFile: (path: string) => string): Settings {
  const problems: string[] = [];
  const refuse = (problem: string): undefined => {
    problems.push(problem);
    return undefined;
  };
  const get = (name: string) => env[name]?.trim() || undefined;
  const apiUrl = readApiUrl(get('GHE_HOST'), get('GHE_PROTOCOL'), refuse);
  const settings = {
    appId: readAppId(get('APP_ID'), refuse),
    privateKey: readKey(get('PRIVATE_KEY'), get('PRIVATE_KEY_PATH'), readFile, refuse),
    webhookSecret: readSecret(get('WEBHOOK_SECRET'), refuse),
    ...readDatabase(get('DATABASE_URL'), get('AUTOBUILD_DB'), refuse),
    keys: readSealingKeys(get('AUTOBUILD_KEYS'), refuse),
    publicUrl: readPublicUrl(get('PUBLIC_URL'), refuse),
    host: get('HOST') ?? '0.0.0.0',
    port: readPort(get('PORT'), refuse),
    apiUrl,
    webUrl: readWebUrl(get('GITHUB_URL'), apiUrl, refuse),
    logLevel: readLogLevel(get('LOG_LEVEL'), refuse),
    label: readLabel(get('AUTOBUILD_LABEL'), refuse),
    notifyUrl: readNotifyUrl(get('NOTIFY_URL'), refuse),
    oauth: readOAuth(get('GITHUB_CLIENT_ID'), get('GITHUB_CLIENT_SECRET'), refuse),
  };
  if (problems.length > 0) throw userError('settings_unusable', { problems });
  return settings as Settings;
}

const CREDENTIALS = ['APP_ID', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH', 'WEBHOOK_SECRET'];

/** The settings that a server without any credentials needs to register its App. Undefined if it has some, or if the rest is not usable. */
export function readSetUp(env: Env) {
  const get = (name: string) => env[name]?.trim() || undefined;
  const refuse = () => undefined;
  if (CREDENTIALS.some(get)) return undefined;
  const publicUrl = readPublicUrl(get('PUBLIC_URL'), refuse);
  const port = readPort(get('PORT'), refuse);
  const apiUrl = readApiUrl(get('GHE_HOST'), get('GHE_PROTOCOL'), refuse);
  if (publicUrl === undefined || port === undefined || apiUrl === undefined) return undefined;
  const protocol = get('GHE_PROTOCOL') === 'http' ? ('http' as const) : ('https' as const);
  const github = { host: get('GHE_HOST') ?? 'github.com', protocol };
  return { publicUrl, port, host: get('HOST') ?? '0.0.0.0', github };
}

type Refuse = (problem: string) => undefined;

function readAppId(text: string | undefined, refuse: Refuse): number | undefined {
  if (!text) return refuse("APP_ID is not set: take the App ID from the App's settings page on GitHub.");
  return /^[1-9]\d{0,9}$/.test(text)
    ? Number(text)
    : refuse('APP_ID is not a whole number: take the App ID, not the client ID.');
}

function readKey(
  given: string | undefined,
  path: string | undefined,
  readFile: (path: string) => string,
  refuse: Refuse,
): string | undefined {
  const name = given ? 'PRIVATE_KEY' : 'PRIVATE_KEY_PATH';
  if (!given && !path)
    return refuse("PRIVATE_KEY is not set: give the App's private key, or its file by PRIVATE_KEY_PATH.");
  let text = given ?? '';
  if (!given && path) {
    try {
      text = readFile(path);
    } catch (error) {
      return refuse(
        `PRIVATE_KEY_PATH cannot be read (${(error as NodeJS.ErrnoException).code ?? 'no file'}): name the .pem file GitHub gave you.`,
      );
    }
  }
  const key = unfold(text);
  try {
    if (createPrivateKey(key).asymmetricKeyType === 'rsa') return key;
  } catch {
    // The reason is not shown, because it may quote the key.
  }
  return refuse(`${name} is not an RSA private key: give the whole .pem file, from -----BEGIN to END-----.`);
}

/** Some environments allow no line breaks in variables, so people write \n or base64. */
function unfold(text: string): string {
  if (text.includes('-----BEGIN')) return text.replaceAll('\\n', '\n');
  return Buffer.from(text, 'base64').toString('utf8');
}

function readSecret(secret: string | undefined, refuse: Refuse): string | undefined {
  if (!secret)
    return refuse(
      'WEBHOOK_SECRET is not set: make one with `openssl rand -hex 32` and give the same to GitHub.',
    );
  if (secret === 'development' || secret.length < MIN_SECRET_LENGTH)
    return refuse(
      `WEBHOOK_SECRET is too easy to guess: at least ${MIN_SECRET_LENGTH} characters, for example from \`openssl rand -hex 32\`.`,
    );
  return secret;
}

function readDatabase(url: string | undefined, file: string | undefined, refuse: Refuse): object | undefined {
  if (url && file) return refuse('DATABASE_URL and AUTOBUILD_DB are both set: keep the one that is meant.');
  if (url)
    return /^postgres(ql)?:\/\//.test(url)
      ? { databaseUrl: url }
      : refuse('DATABASE_URL does not begin with postgres:// or postgresql://; for SQLite set AUTOBUILD_DB.');
  return file
    ? { databaseFile: file }
    : refuse('AUTOBUILD_DB is not set: name a file on a disk that is kept, or a PostgreSQL by DATABASE_URL.');
}

function readSealingKeys(keys: string | undefined, refuse: Refuse): string | undefined {
  if (!keys)
    return refuse('AUTOBUILD_KEYS is not set: make a key with `openssl rand -base64 32` and keep it.');
  const wrong = keys.split(',').findIndex((key) => !isKey(key.trim()));
  return wrong === -1
    ? keys
    : refuse(`AUTOBUILD_KEYS: key ${wrong + 1} is not ${KEY_BYTES} bytes in base64 or hex.`);
}

function isKey(text: string): boolean {
  if (/^[0-9a-f]{64}$/i.test(text)) return true;
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && Buffer.from(text, 'base64').length === KEY_BYTES;
}

function readPublicUrl(text: string | undefined, refuse: Refuse): string | undefined {
  if (!text)
    return refuse('PUBLIC_URL is not set: the address under which GitHub and jobs reach this server.');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!url || !secure || url.search || url.hash || url.username)
    return refuse('PUBLIC_URL is not an https address, such as https://autobuild.example.com.');
  return url.href.replace(/\/+$/, '');
}

function readPort(text: string | undefined, refuse: Refuse): number | undefined {
  if (!text) return 3000;
  const port = Number(text);
  return Number.isInteger(port) && port >= 0 && port < 65_536
    ? port
    : refuse('PORT is not a number from 0 to 65535.');
}

function readApiUrl(
  host: string | undefined,
  protocol: string | undefined,
  refuse: Refuse,
): string | undefined {
  if (!host) return 'https://api.github.com';
  if (!/^[\w.-]+(:\d{1,5})?$/.test(host))
    return refuse(
      'GHE_HOST is not a host name, such as github.example.com: without https:// and without a path.',
    );
  if (protocol && !/^https?$/.test(protocol)) return refuse('GHE_PROTOCOL is neither http nor https.');
  return `${protocol ?? 'https'}://${host}/api/v3`;
}

/** The URL of GitHub's web pages, derived from the API's URL unless it is set. */
function readWebUrl(
  text: string | undefined,
  apiUrl: string | undefined,
  refuse: Refuse,
): string | undefined {
  if (!text)
    return apiUrl === 'https://api.github.com' ? 'https://github.com' : apiUrl?.replace(/\/api\/v3$/, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    return refuse('GITHUB_URL is not an http or https address, such as https://github.example.com.');
  return url.href.replace(/\/+$/, '');
}

function readLogLevel(text: string | undefined, refuse: Refuse): string | undefined {
  const level = text?.toLowerCase() ?? 'info';
  return LOG_LEVELS.includes(level) ? level : refuse(`LOG_LEVEL is none of ${LOG_LEVELS.join(', ')}.`);
}

function readLabel(text: string | undefined, refuse: Refuse): string | undefined {
  const label = text ?? 'autobuild';
  return label.length <= 50 && !label.includes(',')
    ? label
    : refuse('AUTOBUILD_LABEL is not a label: at most 50 characters, without a comma.');
}

function readOAuth(
  clientId: string | undefined,
  clientSecret: string | undefined,
  refuse: Refuse,
): { clientId: string; clientSecret: string } | undefined {
  if (!clientId && !clientSecret) return undefined;
  if (!clientId || !clientSecret)
    return refuse(
      `GITHUB_CLIENT_${clientId ? 'SECRET' : 'ID'} is not set: people sign in with the client ID and a client secret from the App's settings page. Without both there are no pages.`,
    );
  return { clientId, clientSecret };
}

function readNotifyUrl(text: string | undefined, refuse: Refuse): string | undefined {
  if (!text || (URL.canParse(text) && new URL(text).protocol === 'https:')) return text;
  return refuse('NOTIFY_URL is not an https address: give the URL of an incoming webhook, or leave it out.');
}
