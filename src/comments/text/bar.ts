const CELLS = 20;

/** Rounded down, so that only 100 % is a full bar. */
export function renderBar(passed: number, total: number): string {
  const filled = total > 0 ? Math.min(CELLS, Math.max(0, Math.floor((CELLS * passed) / total))) : 0;
  return '█'.repeat(filled) + '░'.repeat(CELLS - filled);
}
