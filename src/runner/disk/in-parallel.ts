import { mapConcurrently } from '../../core/map-concurrently.ts';

const AT_ONCE = 16;

/** For many small reads of files. The number at once is bounded, so that the process does not run out of open files. */
export function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return mapConcurrently(items, AT_ONCE, work);
}
