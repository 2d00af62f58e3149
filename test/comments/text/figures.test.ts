import { describe, expect, it } from 'vitest';
import { renderBar } from '../../../src/comments/text/bar.ts';
import { renderSparkline } from '../../../src/comments/text/sparkline.ts';
import { dateAtTime, dateTime, lineChange, list, timeSpan } from '../../../src/comments/text/words.ts';
import { compact } from '../../../src/core/compact.ts';

describe('bars and sparklines do not flatter', () => {
  it('a bar has 20 cells, rounded down', () => {
    expect(renderBar(10, 14)).toBe('██████████████░░░░░░');
    expect(renderBar(999, 1000)).toBe('███████████████████░');
    expect(renderBar(14, 14)).toBe('█'.repeat(20));
    expect(renderBar(0, 0)).toBe('░'.repeat(20));
  });

  it('█ means all of them', () => {
    const of14 = [0, 5, 10, 13, 14].map((passed) => ({ passed, total: 14 }));
    expect(renderSparkline(of14)).toBe('▁▃▆▇█');
    expect(renderSparkline([])).toBe('');
    expect(renderSparkline([{ passed: 0, total: 0 }])).toBe('▁');
  });
});

describe('words', () => {
  it('reads well', () => {
    expect(list(['a', 'b', 'c'])).toBe('a, b and c');
    expect(list(['a', 'b', 'c'], 1)).toBe('a and 2 more');
    expect(lineChange(3, 0)).toBe('+3');
    expect(lineChange(-13, -2)).toBe('+2 −13');
    expect(lineChange(-3, 4)).toBe('−7');
    expect([812, 55_000, 1_308_000].map(compact)).toEqual(['812', '55 k', '1.31 M']);
    expect(dateTime('2026-11-16T14:31:04.000Z')).toBe('16 Nov 2026 14:31 UTC');
    expect(dateAtTime('2026-11-16T14:31:04.000Z')).toBe('16 Nov 2026 at 14:31 UTC');
    expect(timeSpan('2026-11-16T14:31:04.000Z', '2026-11-17T01:00:00.000Z')).toBe(
      '16 Nov 2026 14:31 UTC to 17 Nov 2026 01:00 UTC',
    );
  });
});
