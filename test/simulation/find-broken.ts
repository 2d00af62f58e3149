import { type EmptyStore, type History, runHistory } from './history.ts';
import { shrink } from './shrink.ts';

/** Where histories are played. Another place makes another history of a seed. */
export interface Place {
  store: 'sqlite' | 'postgres';
  emptyStore?: EmptyStore;
  /** How far the clock of each desk is ahead, instead of what the seed says. */
  skews?: readonly number[];
}

/** Undefined if every promise holds in the history. */
export async function findBroken(seed: number, place: Place): Promise<string | undefined> {
  const history = await runHistory(seed, place);
  return history.broken.length > 0 ? describeBroken(await shrinkAt(place, history), place) : undefined;
}

/** With as few faults as still break a promise, at the same place. */
export function shrinkAt(place: Place, history: History): Promise<History> {
  return shrink(history, (allowed) => runHistory(history.seed, { ...place, allowed }));
}

/** What a person needs to look into a broken promise. */
export function describeBroken({ seed, broken, faults }: History, { store, skews }: Place): string {
  const options = [
    ...(store === 'sqlite' ? [] : [` --store ${store}`]),
    ...(skews ? [` --skews=${skews.join()}`] : []),
  ];
  return [
    `seed ${seed} breaks:`,
    ...broken.map((line) => `  ${line}`),
    `with ${faults.length} faults: ${faults.map(({ kind }) => kind).join(', ') || 'none'}`,
    `See its history: npx node test/simulation/run.ts ${seed} 1${options.join('')}`,
  ].join('\n');
}
