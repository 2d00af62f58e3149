import type { Readable } from 'node:stream';

/** As much as a pipe gives at once. */
const PIECE_BYTES = 64 * 1024;

export interface PacedReading {
  /** Called once. */
  read(onChunk: (chunk: Buffer) => void): void;
  /** For a reader that cannot keep up: nothing more is read until `release`. */
  hold(): void;
  release(): void;
}

/**
 * Reads about one piece per round of the event loop. Node would read on for as long as there is output, and a flood would delay
 * the clock, the heartbeat and the freeze.
 */
export function createPacedReading(stream: Readable): PacedReading {
  let isHeld = false;
  let handled = 0;
  function endRound(): void {
    handled = 0;
    if (!isHeld) stream.resume();
  }
  return {
    read(onChunk) {
      stream.on('data', (chunk: Buffer) => {
        if (handled === 0) setImmediate(endRound);
        handled += chunk.length;
        onChunk(chunk);
        if (handled >= PIECE_BYTES) stream.pause();
      });
    },
    hold() {
      isHeld = true;
      stream.pause();
    },
    release() {
      isHeld = false;
      if (handled < PIECE_BYTES) stream.resume();
    },
  };
}
