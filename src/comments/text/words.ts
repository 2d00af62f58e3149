const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `16 Nov 2026 14:31 UTC`, with seconds on request: for tables, footers and parentheses. */
export function dateTime(iso: string, seconds = false): string {
  return `${date(iso)} ${seconds ? clockSeconds(iso) : clock(iso)} UTC`;
}

/** `16 Nov 2026 at 14:31 UTC`: for sentences, after `on`, `since` or `before`. */
export function dateAtTime(iso: string): string {
  return `${date(iso)} at ${clock(iso)} UTC`;
}

function date(iso: string): string {
  const text = new Date(iso).toISOString();
  return `${Number(text.slice(8, 10))} ${MONTHS[Number(text.slice(5, 7)) - 1]} ${text.slice(0, 4)}`;
}

/** `16 Nov 2026 14:31 to 15:22 UTC`. The date is shown once if it is the same day. */
export function timeSpan(from: string, to: string): string {
  const sameDay = new Date(from).toISOString().slice(0, 10) === new Date(to).toISOString().slice(0, 10);
  return sameDay
    ? `${dateTime(from).replace(/ UTC$/, '')} to ${clock(to)} UTC`
    : `${dateTime(from)} to ${dateTime(to)}`;
}

/** `14:31` */
export function clock(iso: string): string {
  return new Date(iso).toISOString().slice(11, 16);
}

/** `14:31 UTC`, or `09:31:04 EST` with seconds in another zone. */
export function clockIn(iso: string, zone = 'UTC', seconds = false): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' as const } : {}),
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  return format.format(new Date(iso));
}

/** `14:31:04` */
export function clockSeconds(iso: string): string {
  return new Date(iso).toISOString().slice(11, 19);
}

/** Whole minutes. Times of two desks may be in the wrong order, so less than nothing is nothing. */
export function minutes(ms: number): number {
  return Math.max(0, Math.floor(ms / 60_000));
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`, `a, b and 4 more` */
export function list(items: readonly string[], max = items.length): string {
  const shown = items.slice(0, max);
  const rest = items.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

export function money(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

/** `+131 −2`. A zero is left out. A reverted addition is a line removed, and a reverted removal a line added. */
export function lineChange(added: number, removed: number): string {
  const more = Math.max(added, 0) + Math.max(-removed, 0);
  const less = Math.max(removed, 0) + Math.max(-added, 0);
  return [more ? `+${more}` : '', less ? `−${less}` : ''].filter(Boolean).join(' ');
}
