import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ownership } from '../app/ownership.ts';
import { readMarker } from '../app/upsert-comment.ts';

const MARKER_END = / -->/;
const MAC = /^<!-- autobuild:[^\n]*? mac=([\w-]{10,100}) -->/;

/**
 * Every workflow of a repository writes as the same bot, so a name proves nothing. A comment of ours carries a code that only
 * this desk can make, for its operation and its issue. Copied to another issue or another operation it is void.
 */
export function createMacOwnership({
  keys,
  repository,
}: {
  /** Secrets of the desk. The first one signs, the others are from before. */
  keys: readonly string[];
  /** owner/name */
  repository: string;
}): Ownership {
  const place = repository.toLowerCase();
  const codeFor = (key: string, issue: number, op: string) => {
    const own = createHmac('sha256', key).update('comments of autobuild').digest();
    return createHmac('sha256', own)
      .update(JSON.stringify([place, issue, op]))
      .digest('base64url');
  };
  const opOf: Ownership['opOf'] = ({ body, author_type }, issue) => {
    const op = author_type === 'Bot' ? readMarker(body)?.op : undefined;
    const code = op && MAC.exec(body)?.[1];
    if (!op || !code) return undefined;
    return keys.some((key) => isSame(code, codeFor(key, issue, op))) ? op : undefined;
  };
  return {
    opOf,
    isOurs: (comment, issue) => opOf(comment, issue) !== undefined,
    // Our own entries end no run: labels of states are others than the one that starts it.
    didWe: () => false,
    sign(body, issue) {
      const op = readMarker(body)?.op;
      const [key] = keys;
      if (op === undefined || key === undefined) return body;
      return body.replace(MARKER_END, ` mac=${codeFor(key, issue, op)} -->`);
    },
  };
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
