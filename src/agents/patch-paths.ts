/** Most files one ask at the gate may name. */
const MOST_PATHS = 1000;

/** Indented too, as the CLI reads them: a line of content that looks like one is asked about for nothing. */
const HEADER = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):[ \t]*(.*?)[ \t\r]*$/gm;

/** The files a `*** Begin Patch` text adds, changes, deletes or moves to, each once. */
export function pathsOfPatch(patch: string): string[] {
  const paths = new Set<string>();
  for (const [, path] of patch.matchAll(HEADER)) {
    if (path) paths.add(path);
    // One more than the gate takes: it says so, where a shorter list would let the rest through.
    if (paths.size > MOST_PATHS) break;
  }
  return [...paths];
}
