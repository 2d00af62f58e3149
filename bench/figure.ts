/** One measured figure and its bar. */
export interface Figure {
  /** The name in `npm run bench -- <id>`. */
  readonly id: string;
  readonly title: string;
  /** Left out for a figure that is only printed. */
  readonly bar?: number;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  measure(): Promise<Measurement>;
}

export interface Measurement {
  value: number;
  detail: Record<string, number | string>;
}

export function holdsBar({ bar, better }: Figure, value: number): boolean {
  if (bar === undefined) return !Number.isNaN(value);
  return better === 'higher' ? value >= bar : value <= bar;
}
