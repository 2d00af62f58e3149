/** The milliseconds until the calls of the hour are counted from zero again. Undefined if the headers do not tell. */
export function msUntilReset(
  headers: Record<string, string | number | undefined>,
  now: number,
): number | undefined {
  const reset = Number(headers['x-ratelimit-reset']) * 1_000;
  // GitHub's clock, if the response has it, because the local one may be wrong.
  return Number.isFinite(reset) ? reset - (Date.parse(String(headers.date)) || now) : undefined;
}
