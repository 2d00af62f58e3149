/**
 * UTF-8 bytes that are decoded in place, so that `length` shrinks. If `from` and `to` are set, they map each byte to the range
 * of the original text that it came from.
 */
export interface DecodeBuffer {
  bytes: Uint8Array;
  length: number;
  from?: Uint32Array;
  to?: Uint32Array;
}

export function bufferBytes(bytes: Uint8Array): DecodeBuffer {
  return { bytes, length: bytes.length };
}

export function bufferText(text: string): Required<DecodeBuffer> {
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

/** The content as a string with one character per byte. */
export function toByteString({ bytes, length }: DecodeBuffer): string {
  const pieces: string[] = [];
  for (let at = 0; at < length; at += 8_192)
    pieces.push(String.fromCharCode(...bytes.subarray(at, Math.min(length, at + 8_192))));
  return pieces.join('');
}
