import type { History } from './history.ts';

const MOST_REPLAYS = 60;

/** The same history with as few faults as still break a promise. `replay` plays it with only those faults that are allowed. */
export async function shrink(
  found: History,
  replay: (allowed: ReadonlySet<number>) => Promise<History>,
): Promise<History> {
  let smallest = found;
  let replays = 0;
  const breaksWith = async (numbers: number[]): Promise<boolean> => {
    replays += 1;
    const history = await replay(new Set(numbers));
    if (history.broken.length === 0 || history.faults.length >= smallest.faults.length) return false;
    smallest = history;
    return true;
  };
  for (let parts = 2; replays < MOST_REPLAYS; ) {
    const numbers = smallest.faults.map(({ number }) => number);
    const size = Math.ceil(numbers.length / parts);
    if (size === 0) break;
    let isSmaller = false;
    for (let start = 0; start < numbers.length && replays < MOST_REPLAYS && !isSmaller; start += size)
      isSmaller = await breaksWith([...numbers.slice(0, start), ...numbers.slice(start + size)]);
    if (isSmaller) continue;
    if (size === 1) break;
    parts = Math.min(numbers.length, parts * 2);
  }
  return smallest;
}
