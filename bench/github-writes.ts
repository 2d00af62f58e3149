import { childArgv, withAgent } from './bench-agent.ts';
import type { Figure } from './figure.ts';
import { withScratchDirectory } from './scratch-directory.ts';

/** The standard story: labelled, three turns, one question, parked, answered, a pull request. */
export const githubWrites: Figure = {
  id: 'github-writes',
  title: 'GitHub write calls, label → parked → answered → pull request, three turns',
  // A counted value, which may only decrease.
  bar: 30,
  unit: 'calls',
  better: 'lower',
  async measure() {
    const kinds = await withScratchDirectory(countWrites);
    const detail: Record<string, number> = {};
    for (const kind of kinds.toSorted()) detail[kind] = (detail[kind] ?? 0) + 1;
    return { value: kinds.length, detail };
  },
};

/** Runs in its own process, so that no App and no job outlives the bench. */
async function countWrites(directory: string): Promise<string[]> {
  let line = '';
  const argv = childArgv('count-github-writes.ts', directory);
  const onLine = (text: string) => {
    line = text;
  };
  await withAgent({ argv, onLine }, ({ exited }) => exited);
  if (line === '') throw new Error('The story was not played to its end.');
  return JSON.parse(line) as string[];
}
