import type { IncomingMessage } from 'node:http';

type ReadBody =
  /** The bytes stay in the budget until they are released. */
  | { ok: true; bytes: Buffer; release(): void }
  | { ok: false; problem: 'too_large' | 'busy' | 'slow' | 'broken' };

/** The cost of a piece beside its bytes, because a sender may send a body in pieces of one byte. */
const PIECE_BYTES = 256;

/** No body gives way for being large before it holds this part of the memory. */
const LARGE_PART = 16;

/**
 * Limits the memory of all bodies. If it does not suffice, a body that is still being read gives way: a large one if there is one,
 * and of these, or of all, the one that is under way longest. So half-sent bodies cannot keep out whole ones (S-18).
 */
interface BodyBudget {
  open(giveWay: () => void): Share;
}

interface Share {
  /** Takes memory for a piece. Others may give way for it, or this body itself. */
  take(bytes: number): void;
  /** The body is read. It does not give way any more. */
  settle(): void;
  release(): void;
}

export function createBodyBudget(maxBytes: number): BodyBudget {
  let used = 0;
  /** The one under way longest is the first. */
  const reading = new Set<{ held: number; giveWay(): void }>();
  const makeRoom = () => {
    while (used > maxBytes && reading.size > 0) {
      const large = maxBytes / Math.min(reading.size, LARGE_PART);
      const [oldest] = reading;
      ([...reading].find(({ held }) => held > large) ?? oldest)?.giveWay();
    }
  };
  return {
    open(giveWay) {
      const body = { held: 0, giveWay };
      reading.add(body);
      return {
        take(bytes) {
          body.held += bytes + PIECE_BYTES;
          used += bytes + PIECE_BYTES;
          makeRoom();
        },
        settle: () => void reading.delete(body),
        release() {
          reading.delete(body);
          used -= body.held;
          body.held = 0;
        },
      };
    },
  };
}

/** Counts the received bytes; the caller checks the declared length. */
export function readBody(
  request: IncomingMessage,
  limits: { maxBytes: number; timeoutMs: number },
  budget: BodyBudget,
): Promise<ReadBody> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let length = 0;
    let isRead = false;
    const end = (result: ReadBody) => {
      isRead = true;
      clearTimeout(timer);
      resolve(result);
    };
    const fail = (problem: Extract<ReadBody, { ok: false }>['problem']) => {
      if (isRead) return;
      share.release();
      // Frees the received pieces at once, not when the connection ends.
      chunks = [];
      end({ ok: false, problem });
    };
    const share = budget.open(() => fail('busy'));
    const timer = setTimeout(() => fail('slow'), limits.timeoutMs);
    const broken = () => fail('broken');
    // The listeners stay, because to remove them takes longer, and an error without any would end the process.
    request
      .on('data', (chunk: Buffer) => {
        if (isRead) return;
        if (length + chunk.length > limits.maxBytes) return fail('too_large');
        length += chunk.length;
        chunks.push(chunk);
        share.take(chunk.length);
      })
      .on('end', () => {
        if (isRead) return;
        const [first] = chunks;
        share.settle();
        const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
        // The listeners stay, and would keep the pieces as long as the request.
        chunks = [];
        end({ ok: true, bytes, release: share.release });
      })
      .on('close', broken)
      .on('error', broken);
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
