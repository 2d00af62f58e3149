import { StringDecoder } from 'node:string_decoder';

const HEAD_BYTES = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;

/**
 * Forwards stderr up to a cap. From the rest only the last bytes are kept, and forwarded at the end, because an agent that
 * floods stderr prints the useful lines first or when it dies.
 */
export function createBoundedStderr(
  onText: (text: string) => void,
  { headBytes = HEAD_BYTES, tailBytes = TAIL_BYTES } = {},
): { push(chunk: Buffer): void; end(): void } {
  const decoder = new StringDecoder('utf8');
  let room = headBytes;
  /** Twice `tailBytes` long, so that its content is moved once per `tailBytes` and not once per chunk. */
  let late = Buffer.alloc(0);
  let filled = 0;
  let omitted = 0;

  function pass(text: string): void {
    if (text !== '') onText(text);
  }

  function keepLast(bytes: Buffer): void {
    if (late.length === 0) late = Buffer.alloc(2 * tailBytes);
    const fitting = bytes.subarray(-tailBytes);
    omitted += bytes.length - fitting.length;
    if (filled + fitting.length > late.length) {
      late.copyWithin(0, filled - tailBytes, filled);
      omitted += filled - tailBytes;
      filled = tailBytes;
    }
    fitting.copy(late, filled);
    filled += fitting.length;
  }

  return {
    push(chunk) {
      const head = chunk.subarray(0, room);
      const rest = chunk.subarray(head.length);
      room -= head.length;
      pass(decoder.write(head));
      if (rest.length > 0) keepLast(rest);
    },
    end() {
      pass(decoder.end());
      if (omitted > 0) onText(`\n[${omitted} bytes of stderr left out]\n`);
      pass(late.toString('utf8', 0, filled));
      filled = 0;
    },
  };
}
