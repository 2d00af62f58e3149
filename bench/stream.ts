import { childArgv } from './bench-agent.ts';
import type { Figure } from './figure.ts';
import { readBare } from './read-bare.ts';
import { readSupervised, type StreamPass } from './read-supervised.ts';
import { median, round } from './statistics.ts';

const MEGABYTES = 64;
const ROUNDS = 5;

export const stream: Figure = {
  id: 'stream',
  title: 'supervised agent stream ÷ bare split-and-JSON.parse loop',
  bar: 0.6,
  unit: '×',
  better: 'higher',
  async measure() {
    const argv = childArgv('print-agent-lines.ts', String(MEGABYTES));
    const speeds: { supervised: number; unguarded: number; bare: number }[] = [];
    // The first round warms up the compiler and is not counted.
    for (let at = 0; at <= ROUNDS; at += 1) {
      const bare = await readBare(argv);
      const supervised = await readSupervised(argv, { guards: true });
      const unguarded = await readSupervised(argv, { guards: false });
      if (bare.lines !== supervised.lines || bare.chars !== supervised.chars)
        throw new Error(`The readers saw different streams: ${bare.lines} and ${supervised.lines} lines.`);
      if (at === 0) continue;
      speeds.push({
        bare: speedOf(bare),
        supervised: speedOf(supervised),
        unguarded: speedOf(unguarded),
      });
    }
    return {
      // The ratio is computed per round, because the machine's load changes between rounds.
      value: median(speeds.map(({ supervised, bare }) => supervised / bare)),
      detail: {
        rounds: ROUNDS,
        supervised_mb_s: round(median(speeds.map(({ supervised }) => supervised)), 0),
        bare_mb_s: round(median(speeds.map(({ bare }) => bare)), 0),
        ratio_without_guards: round(median(speeds.map(({ unguarded, bare }) => unguarded / bare))),
      },
    };
  },
};

function speedOf({ ms }: StreamPass): number {
  return MEGABYTES / (ms / 1000);
}
