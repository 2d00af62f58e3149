/**
 * Whether a pause is over that began at a stored time, in milliseconds. A time in the future was stored while a clock was ahead, so it
 * tells nothing, and the pause counts as over.
 */
export function hasPassed(pause: number, { since, now }: { since: number; now: number }): boolean {
  return since > now || now - since >= pause;
}
