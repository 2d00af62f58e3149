/** Counts since the process started, by name and labels, for `/metrics`. */
export interface Counters {
  add(name: string, labels?: Record<string, string>): void;
  /** Sorted by name. */
  all(): { name: string; labels: Record<string, string>; value: number }[];
}

/** More label combinations than this are a bug in the caller. */
const MAX_SERIES = 500;

export function createCounters(): Counters {
  const series = new Map<string, { name: string; labels: Record<string, string>; value: number }>();
  return {
    add(name, labels = {}) {
      const key = `${name} ${JSON.stringify(labels)}`;
      const known = series.get(key);
      if (known) known.value += 1;
      else if (series.size < MAX_SERIES) series.set(key, { name, labels, value: 1 });
    },
    all: () => [...series.values()].toSorted((a, b) => a.name.localeCompare(b.name)),
  };
}
