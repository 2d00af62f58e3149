/** `812`, `55 k`, `1.31 M` */
export function compact(n: number): string {
  if (n < 10_000) return String(Math.round(n));
  if (n < 1_000_000) return `${Math.round(n / 1000)} k`;
  return `${(n / 1_000_000).toFixed(2)} M`;
}
