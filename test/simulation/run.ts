import { runHistory } from './history.ts';

/** `node test/simulation/run.ts <first seed> <how many> [first]`: prints what breaks; with `first` it stops there. */
const [first = 1, count = 1] = process.argv.slice(2, 4).map(Number);
const stops = process.argv[4] === 'first';
const began = performance.now();
let broken = 0;
let seeds = 0;
for (let seed = first; seed < first + count && !(stops && broken > 0); seed += 1) {
  const history = await runHistory(seed);
  seeds += 1;
  if (history.broken.length > 0) {
    broken += 1;
    process.stdout.write(`seed ${seed}: ${history.broken.join('; ')}\n`);
  }
  if (count === 1 && !stops) process.stdout.write(`${history.trace.join('\n')}\n`);
}
const seconds = Math.round((performance.now() - began) / 1000);
if (!stops) process.stdout.write(`${seeds} seeds, ${broken} broken, ${seconds} s\n`);
process.exitCode = broken > 0 ? 1 : 0;
