const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 256 * 1024;

type BoundedOutput = { push(chunk: Buffer): void; text(): string };

/** Keeps the beginning and the end of an output of any length. The middle is dropped, and its size is reported. */
export function createBoundedOutput(headBytes = HEAD_BYTES, tailBytes = TAIL_BYTES): BoundedOutput {
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  let headLength = 0;
  let tailLength = 0;
  let dropped = 0;

  function push(chunk: Buffer): void {
    const room = headBytes - headLength;
    if (room > 0) {
      const part = Buffer.from(chunk.subarray(0, room));
      head.push(part);
      headLength += part.length;
    }
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    tail.push(Buffer.from(rest.subarray(-tailBytes)));
    dropped += Math.max(0, rest.length - tailBytes);
    tailLength += Math.min(rest.length, tailBytes);
    trim();
  }

  function trim(): void {
    while (tailLength > tailBytes) {
      const first = tail[0];
      if (!first) return;
      const excess = tailLength - tailBytes;
      if (first.length <= excess) tail.shift();
      else tail[0] = first.subarray(excess);
      const gone = Math.min(first.length, excess);
      tailLength -= gone;
      dropped += gone;
    }
  }

  function text(): string {
    if (dropped === 0) return Buffer.concat([...head, ...tail]).toString('utf8');
    return `${Buffer.concat(head).toString('utf8')}\n… ${dropped} bytes left out …\n${Buffer.concat(tail).toString('utf8')}`;
  }

  return { push, text };
}
