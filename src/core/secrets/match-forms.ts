import type { DecodeBuffer } from './decode-buffer.ts';

const KEY_BYTES = 4;
const HASH_BITS = 16;

/** Adds the keys of the secrets that occur in the buffer to `found`. */
type MatchForms = (buffer: DecodeBuffer, found: Set<string>) => void;

/**
 * Forms are byte strings of at least four bytes. The search is one pass regardless of the number of forms, because a 64 KiB table
 * rules out almost every position at once.
 */
export function createFormMatcher(sought: readonly { key: string; forms: readonly string[] }[]): MatchForms {
  const begins = new Uint8Array(1 << HASH_BITS);
  const byKey = new Map<number, { key: string; form: Uint8Array }[]>();
  for (const { key, forms } of sought) {
    for (const letters of forms) {
      const form = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
      const head = form.subarray(0, KEY_BYTES).reduce((all, byte) => (all << 8) | byte, 0);
      begins[hashOf(head)] = 1;
      const known = byKey.get(head);
      if (known) known.push({ key, form });
      else byKey.set(head, [{ key, form }]);
    }
  }
  return ({ bytes, length }, found) => {
    let head = 0;
    for (let at = 0; at < length; at += 1) {
      head = (head << 8) | (bytes[at] ?? 0);
      if (begins[hashOf(head)] === 0) continue;
      const start = at - KEY_BYTES + 1;
      for (const { key, form } of byKey.get(head) ?? [])
        if (!found.has(key) && isAt(bytes, length, start, form)) found.add(key);
    }
  };
}

function hashOf(head: number): number {
  return Math.imul(head, 0x9e3779b1) >>> (32 - HASH_BITS);
}

function isAt(bytes: Uint8Array, length: number, start: number, form: Uint8Array): boolean {
  if (start < 0 || start + form.length > length) return false;
  for (let index = 0; index < form.length; index += 1) if (bytes[start + index] !== form[index]) return false;
  return true;
}
