/** Facts of the older layout: texts under free keys. */
export type Marks = ReadonlyMap<string, string>;

export function* below(marks: Marks, prefix: string): Iterable<[rest: string, value: string]> {
  for (const [key, value] of marks) if (key.startsWith(prefix)) yield [key.slice(prefix.length), value];
}
