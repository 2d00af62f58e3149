const AT_ONCE = 16;

/** Runs the work for a few items at a time: one by one would be slow, all at once could exceed the limit of open files. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  const workThrough = async (): Promise<void> => {
    // All workers share one iterator, so each item is handled once.
    for (const [at, item] of remaining) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workThrough));
  return results;
}
