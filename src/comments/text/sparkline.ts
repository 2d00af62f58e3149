const LEVELS = '▁▂▃▄▅▆▇█';
const SHOWN = 20;

/** One glyph per value, for the last 20. Rounded down, so that █ means that all passed. */
export function renderSparkline(history: readonly { passed: number; total: number }[]): string {
  return history
    .slice(-SHOWN)
    .map(({ passed, total }) => {
      const level = total > 0 ? Math.floor((7 * passed) / total) : 0;
      return LEVELS.charAt(Math.min(7, Math.max(0, level)));
    })
    .join('');
}
