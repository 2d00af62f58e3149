import { setImmediate as nextLoopTurn } from 'node:timers/promises';

/** More than a terminal buffers for a reader. The notice shows far less. */
const KEPT_BYTES = 4_096;
/**
 * The kernel's buffer is read in the first turn of the event loop, so a second turn without input means that it is
 * empty.
 */
const QUIET_TURNS = 2;
/** Ctrl-C, which a terminal in raw mode delivers as a character. */
const INTERRUPT = 0x03;

type Discarded = {
  text: string;
  interrupted: boolean;
  /** The terminal was closed, so nothing more can be typed. */
  ended: boolean;
};

/**
 * Reads everything out of the terminal's buffer, including an unfinished line. Leaves the terminal in raw mode and the
 * input flowing, so that the next reader misses nothing typed from now on.
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
  const collect = (chunk: Buffer) => {
    quiet = 0;
    interrupted ||= chunk.includes(INTERRUPT);
    if (bytes >= KEPT_BYTES) return;
    kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
    bytes += chunk.length;
  };
  const end = () => {
    ended = true;
  };
  // A terminal in line mode delivers nothing of an unfinished line.
  input.setRawMode(true);
  input.on('data', collect).on('end', end).on('close', end);
  input.resume();
  for (; quiet < QUIET_TURNS && !ended && !interrupted && !isGivenUp(); quiet += 1) await nextLoopTurn();
  input.off('data', collect).off('end', end).off('close', end);
  return { text: Buffer.concat(kept).toString('utf8'), interrupted, ended };
}
