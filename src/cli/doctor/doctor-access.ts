import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Finding, problem } from './doctor-finding.ts';

type Env = Record<string, string | undefined>;

/** The credentials and addresses that the environment gives. */
export interface DoctorAccess {
  apiUrl: string;
  token?: { variable: string; value: string };
  app?: { id: number; key: KeyObject };
  /** The desk's address, without a slash at the end. */
  publicUrl?: string;
  label: string;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** A value that cannot be used is reported by its variable's name, never quoted. */
export function readDoctorAccess(env: Env): { access: DoctorAccess; findings: Finding[] } {
  const findings: Finding[] = [];
  const get = (name: string) => env[name]?.trim() || undefined;
  const refuse = (check: string, message: string, remedy: string): undefined => {
    findings.push(problem(check, message, remedy));
    return undefined;
  };
  const access = {
    apiUrl: readApiUrl(get, refuse) ?? '',
    token: readToken(get, refuse),
    app: readApp(get, refuse),
    publicUrl: readPublicUrl(get, refuse),
    label: get('AUTOBUILD_LABEL') ?? 'autobuild',
  };
  return { access, findings };
}

type Get = (name: string) => string | undefined;
type Refuse = (check: string, message: string, remedy: string) => undefined;

function readApiUrl(get: Get, refuse: Refuse): string | undefined {
  const host = get('GHE_HOST');
  const onHost = host && `${get('GHE_PROTOCOL') ?? 'https'}://${host}/api/v3`;
  const given = get('GITHUB_API_URL') ?? onHost ?? 'https://api.github.com';
  const url = readUrl(given);
  if (url) return url;
  const variable = get('GITHUB_API_URL') ? 'GITHUB_API_URL' : 'GHE_HOST';
  return refuse(
    'token',
    `${variable} is not an https address, so no token is sent there.`,
    'Give the address of the REST API, such as https://github.example.com/api/v3, or leave it out for github.com.',
  );
}

function readUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!url || !secure || url.search || url.hash || url.username || url.password) return undefined;
  return url.href.replace(/\/+$/, '');
}

function readToken(get: Get, refuse: Refuse): DoctorAccess['token'] {
  const variable = ['GITHUB_TOKEN', 'GH_TOKEN'].find(get);
  const value = variable && get(variable);
  if (!value) return undefined;
  // Any other character would make the HTTP client throw an error that quotes the token.
  if (/^[\x21-\x7e]{1,2000}$/.test(value)) return { variable, value };
  return refuse(
    'token',
    `${variable} is not a token: it has spaces, line breaks or letters that no token has.`,
    'Set it again, the token alone.',
  );
}

function readApp(get: Get, refuse: Refuse): DoctorAccess['app'] {
  const id = get('APP_ID');
  const path = get('PRIVATE_KEY_PATH');
  const given = get('PRIVATE_KEY');
  if (!id && !given && !path) return undefined;
  const remedy = 'Set APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH) as the server has them, or neither.';
  if (!id || !/^[1-9]\d{0,9}$/.test(id)) return refuse('app', 'APP_ID is not the number of an App.', remedy);
  if (!given && !path)
    return refuse('app', 'APP_ID is set, but neither PRIVATE_KEY nor PRIVATE_KEY_PATH.', remedy);
  const key = readKey(given, path ?? '');
  const variable = given ? 'PRIVATE_KEY' : 'PRIVATE_KEY_PATH';
  return key
    ? { id: Number(id), key }
    : refuse('app', `${variable} is not an RSA private key, or cannot be read.`, remedy);
}

function readKey(given: string | undefined, path: string): KeyObject | undefined {
  try {
    const text = given ?? readFileSync(path, 'utf8');
    // People write \n or base64 where a variable cannot hold several lines.
    const pem = text.includes('-----BEGIN')
      ? text.replaceAll('\\n', '\n')
      : Buffer.from(text, 'base64').toString('utf8');
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    // The error's message may quote the key.
    return undefined;
  }
}

function readPublicUrl(get: Get, refuse: Refuse): string | undefined {
  const given = get('PUBLIC_URL');
  if (!given) return undefined;
  return (
    readUrl(given) ??
    refuse('desk', 'PUBLIC_URL is not an https address.', 'Set it as the server has it, or leave it out.')
  );
}
