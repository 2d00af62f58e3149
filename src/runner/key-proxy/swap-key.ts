import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { KeyHeader } from '../../agents/key-route.ts';

/** They are about one connection and not about the message. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Nobody but the proxy signs in at the provider. */
const SIGN_IN: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
]);

/** The headers for the provider, with the key instead of the dummy. Undefined if the dummy is in none of the key's headers. */
export function swapKey(
  headers: IncomingHttpHeaders,
  dummy: string,
  keys: ReadonlyMap<KeyHeader, string>,
): OutgoingHttpHeaders | undefined {
  const swapped: OutgoingHttpHeaders = {};
  for (const [header, key] of keys)
    if (isEqual(headers[header], inHeader(header, dummy))) swapped[header] = inHeader(header, key);
  if (Object.keys(swapped).length === 0) return undefined;
  return { ...endToEnd(headers, (name) => !SIGN_IN.has(name) && name !== 'host'), ...swapped };
}

export function endToEnd(
  headers: IncomingHttpHeaders,
  isWanted: (name: string) => boolean = () => true,
): OutgoingHttpHeaders {
  const named = new Set(headers.connection?.split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name) && isWanted(name)),
  );
}

function inHeader(header: KeyHeader, key: string): string {
  return header === 'authorization' ? `Bearer ${key}` : key;
}

function isEqual(given: string | string[] | undefined, expected: string): boolean {
  const [a, b] = [Buffer.from(String(given)), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
