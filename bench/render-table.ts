import type { Figure, Measurement } from './figure.ts';

const NAME = 12;
const VALUE = 12;
const BAR = 12;

export function renderHeader(): string {
  return `${'figure'.padEnd(NAME)}${'value'.padStart(VALUE)}${'bar'.padStart(BAR)}`;
}

export function renderRow(figure: Figure, value: number, holds: boolean): string {
  const { id, title, bar, unit, better } = figure;
  const shown = Number.isNaN(value) ? 'failed' : `${value.toFixed(2)} ${unit}`;
  const limit = bar === undefined ? 'none' : `${better === 'higher' ? '≥' : '≤'} ${bar} ${unit}`;
  return `${id.padEnd(NAME)}${shown.padStart(VALUE)}${limit.padStart(BAR)}  ${holds ? '✓' : '✗'}  ${title}`;
}

export function describeDetail(detail: Measurement['detail']): string {
  const parts = Object.entries(detail).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`);
  return `${' '.repeat(NAME)}${parts.join(' · ')}`;
}
