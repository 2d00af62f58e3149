import { setImmediate as nextLoopTurn } from 'node:timers/promises';

/** More than a terminal holds for a reader; the notice shows far less. */
const KEPT_BYTES = 4_096;
/** The kernel's buffer is read in the first turn of the event loop, so a second one without input means that it is empty. */
const QUIET_TURNS = 2;
/** Ctrl-C, which a terminal in raw mode passes on as a character. */
const INTERRUPT = 0x03;

type Discarded = {
  text: string;
  interrupted: boolean;
  /** Nothing more can be typed: the terminal was closed. */
  ended: boolean;
};

/**
 * Takes everything out of the terminal's buffer, half a line included. The terminal is in raw mode and the input
 * flowing afterwards, so that the next reader misses nothing that is typed from here on.
 */
export async function discardTypedAhead(
  input: NodeJS.ReadStream,
  isGivenUp: () => boolean,
): Promise<Discarded> {
  const kept: Buffer[] = [];
  let bytes = 0;
  let quiet = 0;
  let interrupted = false;
  let ended = input.readableEnded || input.destroyed;
  const take = (chunk: Buffer) => {
    quiet = 0;
    interrupted ||= chunk.includes(INTERRUPT);
    if (bytes >= KEPT_BYTES) return;
    kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
    bytes += chunk.length;
  };
  const end = () => {
    ended = true;
  };
  // Until a line is finished, a terminal in line mode gives none of it.
  input.setRawMode(true);
  input.on('data', take).on('end', end).on('close', end);
  input.resume();
  for (; quiet < QUIET_TURNS && !ended && !interrupted && !isGivenUp(); quiet += 1) await nextLoopTurn();
  input.off('data', take).off('end', end).off('close', end);
  return { text: Buffer.concat(kept).toString('utf8'), interrupted, ended };
}
