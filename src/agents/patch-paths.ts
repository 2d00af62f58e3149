/** Most files one ask at the gate may name. */
const MOST_PATHS = 1000;

/** Indented too, as the CLI reads them: a line of content that looks like one is asked about for nothing. */
const HEADER = /^[\s\u0085]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):/;
const BLANKS = ' \t\r';

/** The files a `*** Begin Patch` text adds, changes, deletes or moves to, each once. */
export function pathsOfPatch(patch: string): string[] {
  const paths = new Set<string>();
  for (const line of patch.split('\n')) {
    const header = HEADER.exec(line)?.[0];
    const path = header === undefined ? '' : withoutBlanks(line.slice(header.length));
    if (path) paths.add(path);
    // One more than the gate takes: it says so, where a shorter list would let the rest through.
    if (paths.size > MOST_PATHS) break;
  }
  return [...paths];
}

/** By hand: a pattern for blanks at the end begins anew at each blank in the middle. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.includes(text.charAt(start))) start += 1;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
