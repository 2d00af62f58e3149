import { isAscii } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

const NEWLINE = 10;
const RETURN = 13;
const SMALL = 64 * 1024;
const PIECE = 256 * 1024;

type LineReader = { push(chunk: Uint8Array): void; end(): void };

type LineReaderOptions = {
  onLine(line: string): void;
  /** Receives a line beyond the cap in pieces. `final` is true for the last piece of the line, which may be empty. */
  onOverlong(chunk: string, final: boolean): void;
  maxLineBytes?: number;
};

/**
 * Splits chunks of bytes into lines. A line is buffered up to `maxLineBytes`; a longer one is streamed to `onOverlong`, so
 * that memory stays bounded.
 */
export function createLineReader({
  onLine,
  onOverlong,
  maxLineBytes = 8 * 1024 * 1024,
}: LineReaderOptions): LineReader {
  let carry = Buffer.allocUnsafe(0);
  let carried = 0;
  /** Set while inside an overlong line. The decoder buffers characters that are split over chunks. */
  let overlong: StringDecoder | undefined;

  function keep(bytes: Buffer): void {
    const needed = carried + bytes.length;
    if (needed > carry.length) {
      // Doubling the buffer keeps the cost linear for a line that arrives byte by byte.
      const grown = Buffer.allocUnsafe(Math.min(Math.max(needed, carry.length * 2, 1024), maxLineBytes));
      carry.copy(grown, 0, 0, carried);
      carry = grown;
    }
    bytes.copy(carry, carried);
    carried = needed;
  }

  function dropCarry(): void {
    carried = 0;
    if (carry.length > SMALL) carry = Buffer.allocUnsafe(0);
  }

  function stream(decoder: StringDecoder, bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += PIECE) {
      const text = decoder.write(bytes.subarray(at, at + PIECE));
      if (text !== '') onOverlong(text, false);
    }
  }

  /** Appends to a line whose end has not been read yet. */
  function extendLine(bytes: Buffer): void {
    if (!overlong && carried + bytes.length <= maxLineBytes) {
      keep(bytes);
      return;
    }
    if (!overlong) {
      overlong = new StringDecoder('utf8');
      const held = carry.subarray(0, carried);
      dropCarry();
      stream(overlong, held);
    }
    stream(overlong, bytes);
  }

  function finishLine(): void {
    if (overlong) {
      const rest = overlong.end();
      overlong = undefined;
      onOverlong(rest, true);
      return;
    }
    const length = carried > 0 && carry[carried - 1] === RETURN ? carried - 1 : carried;
    const line = carry.toString('utf8', 0, length);
    dropCarry();
    onLine(line);
  }

  /** Fast path for whole lines below the cap with nothing carried over, because one decode then serves all of them. */
  function emitLines(bytes: Buffer): void {
    const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      const end = at > from && text.charCodeAt(at - 1) === RETURN ? at - 1 : at;
      onLine(text.slice(from, end));
      from = at + 1;
    }
  }

  return {
    push(chunk) {
      const bytes = Buffer.isBuffer(chunk)
        ? chunk
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const last = bytes.lastIndexOf(NEWLINE);
      let from = 0;
      while (from <= last) {
        const unfinished = carried > 0 || overlong !== undefined;
        if (!unfinished && last - from <= maxLineBytes) {
          emitLines(bytes.subarray(from, last + 1));
          from = last + 1;
          break;
        }
        const end = bytes.indexOf(NEWLINE, from);
        extendLine(bytes.subarray(from, end));
        finishLine();
        from = end + 1;
      }
      if (from < bytes.length) extendLine(bytes.subarray(from));
    },
    end() {
      if (carried > 0 || overlong) finishLine();
    },
  };
}
