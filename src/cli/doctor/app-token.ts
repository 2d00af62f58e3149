import { type KeyObject, sign } from 'node:crypto';

/** GitHub's clock and ours may differ, and GitHub accepts at most ten minutes. */
const EARLIER_SECONDS = 60;
const VALID_SECONDS = 540;

/** The JSON Web Token an App authenticates with: https://docs.github.com/apps, "Generating a JSON Web Token". */
export function createAppToken({ id, key }: { id: number; key: KeyObject }, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  const header = encode({ alg: 'RS256', typ: 'JWT' });
  const claims = encode({ iat: seconds - EARLIER_SECONDS, exp: seconds + VALID_SECONDS, iss: String(id) });
  const signature = sign('sha256', Buffer.from(`${header}.${claims}`), key).toString('base64url');
  return `${header}.${claims}.${signature}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
