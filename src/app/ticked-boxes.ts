const TICKED = /^- \[[xX]\] <!-- autobuild:option id=([A-Za-z0-9._-]+) -->/gm;

/** Ids of the boxes that this edit ticked. Their commands come from the record, never from the text. */
export function newTicks(before: string, now: string): string[] {
  const earlier = new Set([...before.matchAll(TICKED)].map(([, id]) => id));
  return [...now.matchAll(TICKED)].flatMap(([, id]) => (id && !earlier.has(id) ? [id] : []));
}

/** The text as it was before its boxes were ticked. */
export function emptyBoxes(body: string): string {
  return body.replaceAll(TICKED, (box) => `- [ ]${box.slice('- [x]'.length)}`);
}
