import { parseArgs } from 'node:util';
import { describeBroken, type Place, shrinkAt } from './find-broken.ts';
import { runHistory } from './history.ts';

/**
 * `node test/simulation/run.ts <first seed> <how many> [first] [--store postgres] [--skews=-10000,10000]` prints what breaks; with
 * `first` it stops there. A single seed is shown with its trace, which is that of the smallest history that breaks the same.
 */
const { values, positionals } = parseArgs({
  options: { store: { type: 'string', default: 'sqlite' }, skews: { type: 'string' } },
  allowPositionals: true,
});
const [first = 1, count = 1] = positionals.slice(0, 2).map(Number);
const stops = positionals[2] === 'first';
const skews = values.skews?.split(',').map(Number);
const numbers = [first, count, ...(skews ?? [])];
if (!numbers.every(Number.isFinite) || !['sqlite', 'postgres'].includes(values.store))
  throw new Error(`Not understood: ${process.argv.slice(2).join(' ')}`);
const postgres =
  values.store === 'postgres'
    ? await (await import('./postgres-store.ts')).openSimulatedPostgres()
    : undefined;
const place: Place = {
  store: postgres ? 'postgres' : 'sqlite',
  skews,
  ...(postgres && { emptyStore: postgres.emptyStore }),
};
const print = (...lines: string[]) => void process.stdout.write(`${lines.join('\n')}\n`);
const began = performance.now();
let broken = 0;
let seeds = 0;
try {
  for (let seed = first; seed < first + count && !(stops && broken > 0); seed += 1) {
    const history = await runHistory(seed, place);
    seeds += 1;
    const isBroken = history.broken.length > 0;
    if (isBroken) broken += 1;
    if (count === 1 && !stops) {
      const shown = isBroken ? await shrinkAt(place, history) : history;
      print(...shown.trace, ...(isBroken ? [describeBroken(shown, place)] : []));
    } else if (isBroken) print(`seed ${seed}: ${history.broken.join('; ')}`);
  }
} finally {
  await postgres?.close();
}
const seconds = Math.round((performance.now() - began) / 1000);
if (!stops) print(`${seeds} seeds, ${broken} broken, ${seconds} s`);
process.exitCode = broken > 0 ? 1 : 0;
