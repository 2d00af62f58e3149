const AT_ONCE = 16;

/** For many small looks at files: a few at a time, so that neither time nor open files run out. Results in the order of `items`. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const takeNext = async (): Promise<void> => {
    // One iterator for all: each takes what no other took.
    for (const [at, item] of waiting) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeNext));
  return results;
}
