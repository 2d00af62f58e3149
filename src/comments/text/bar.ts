const CELLS = 20;

/** Rounded down, so that a full bar means all of them. */
export function renderBar(passed: number, total: number): string {
  const filled = total > 0 ? Math.min(CELLS, Math.max(0, Math.floor((CELLS * passed) / total))) : 0;
  return '█'.repeat(filled) + '░'.repeat(CELLS - filled);
}
