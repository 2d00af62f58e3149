import { raceAll, raceDesks } from './desk-races.ts';

/** `npx node test/actions-desk/replay-race.ts <seed> [how many]`: prints what breaks; of a single seed all that happened. */
const [first = 1, many = 1] = process.argv.slice(2).map(Number);
if (many === 1) process.stdout.write(`${(await raceDesks(first)).trace.join('\n')}\n`);
const began = process.cpuUsage();
const { broken, seen } = await raceAll(first, many);
const { user, system } = process.cpuUsage(began);
process.stdout.write(
  [...broken, JSON.stringify(seen), `${((user + system) / 1e6).toFixed(1)} s CPU`, ''].join('\n'),
);
process.exitCode = broken.length > 0 ? 1 : 0;
