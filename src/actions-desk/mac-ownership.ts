import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ownership } from '../app/ownership.ts';
import { readMarker } from '../app/upsert-comment.ts';
import { bindingsOf, type NamedRepository } from '../core/bindings-of.ts';

/** All workflows of the repository act under this name. */
const WORKFLOWS_BOT = 'github-actions[bot]';
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
  repository: NamedRepository;
}): Ownership {
  const bindings = bindingsOf(repository);
  const codeFor = (key: string, binding: string, issue: number, op: string) => {
    const own = createHmac('sha256', key).update('comments of autobuild').digest();
    return createHmac('sha256', own)
      .update(JSON.stringify([binding, issue, op]))
      .digest('base64url');
  };
  const opOf: Ownership['opOf'] = ({ body, author_type }, issue) => {
    const op = author_type === 'Bot' ? readMarker(body)?.op : undefined;
    const code = op && MAC.exec(body)?.[1];
    if (!op || !code) return undefined;
    const isKnown = bindings.some((binding) =>
      keys.some((key) => isSame(code, codeFor(key, binding, issue, op))),
    );
    return isKnown ? op : undefined;
  };
  return {
    opOf,
    isOurs: (comment, issue) => opOf(comment, issue) !== undefined,
    // Our own entries end no run: labels of states are others than the one that starts it.
    didWe: () => false,
    isOtherBot: (login) => login !== WORKFLOWS_BOT,
    sign(body, issue) {
      const op = readMarker(body)?.op;
      const [key] = keys;
      if (op === undefined || key === undefined) return body;
      return body.replace(MARKER_END, ` mac=${codeFor(key, bindings[0], issue, op)} -->`);
    },
  };
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
