const DAY_MS = 24 * 60 * 60_000;

/** The same items, each day beginning `step` items later. By working on that many a day, none is left out for ever. */
export function beginElsewhere<Item>(items: readonly Item[], step: number, now: number): Item[] {
  if (items.length <= step) return [...items];
  const first = (Math.floor(now / DAY_MS) * step) % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
