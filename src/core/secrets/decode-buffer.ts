/** A text as UTF-8, made shorter in place. With `from` and `to`, where each byte stood in the text. */
export interface Reading {
  bytes: Uint8Array;
  length: number;
  from?: Uint32Array;
  to?: Uint32Array;
}

export function readBytes(bytes: Uint8Array): Reading {
  return { bytes, length: bytes.length };
}

export function readText(text: string): Required<Reading> {
  const bytes = new TextEncoder().encode(text);
  const from = new Uint32Array(bytes.length);
  const to = new Uint32Array(bytes.length);
  let next = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const end = at + (code > 0xffff ? 2 : 1);
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (const stop = next + size; next < stop; next += 1) {
      from[next] = at;
      to[next] = end;
    }
    at = end;
  }
  return { bytes, length: bytes.length, from, to };
}

/** What was read, one character per byte. */
export function asLetters({ bytes, length }: Reading): string {
  const parts: string[] = [];
  for (let at = 0; at < length; at += 8_192)
    parts.push(String.fromCharCode(...bytes.subarray(at, Math.min(length, at + 8_192))));
  return parts.join('');
}
