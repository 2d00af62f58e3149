import type { IncomingMessage } from 'node:http';

type ReadBody = { ok: true; bytes: Buffer } | { ok: false; problem: 'too_large' | 'busy' | 'broken' };

/** Limits the bytes of all bodies that are being read. */
interface BodyBudget {
  reserve(bytes: number): boolean;
  give(bytes: number): void;
}

export function createBodyBudget(maxBytes: number): BodyBudget {
  let used = 0;
  return {
    reserve(bytes) {
      if (used + bytes > maxBytes) return false;
      used += bytes;
      return true;
    },
    give(bytes) {
      used -= bytes;
    },
  };
}

/** Counts the received bytes; the caller checks the declared length. A body stays in the budget until the caller releases it. */
export function readBody(request: IncomingMessage, maxBytes: number, budget: BodyBudget): Promise<ReadBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (result: ReadBody) => {
      if (!result.ok) budget.give(length);
      request.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
      // Errors after this point have no listener and would end the process.
      request.on('error', () => undefined);
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      if (length + chunk.length > maxBytes) return end({ ok: false, problem: 'too_large' });
      if (!budget.reserve(chunk.length)) return end({ ok: false, problem: 'busy' });
      length += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = () => {
      const [first] = chunks;
      end({ ok: true, bytes: chunks.length === 1 && first ? first : Buffer.concat(chunks) });
    };
    const onBroken = () => end({ ok: false, problem: 'broken' });
    request.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken);
  });
}

const LINGER_MS = 2_000;

/**
 * For responses sent before the body was read. Closing at once would reset the connection before the sender has read the
 * response, so the rest of the body is discarded for a moment first.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  request.on('error', () => undefined);
  request.resume();
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  timer.unref();
  request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}
