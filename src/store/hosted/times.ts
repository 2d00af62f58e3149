/** Columns hold milliseconds, ports hold ISO times. */
export function toMs(at: string | undefined): number | null {
  return at === undefined ? null : Date.parse(at);
}

export function fromMs(ms: number): string;
export function fromMs(ms: number | null): string | undefined;
export function fromMs(ms: number | null): string | undefined {
  return ms === null ? undefined : new Date(ms).toISOString();
}
