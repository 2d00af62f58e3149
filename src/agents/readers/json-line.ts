/** The `type` of a parsed line, or an empty text. */
export function typeOf(event: Record<string, unknown> | undefined): string {
  return typeof event?.type === 'string' ? event.type : '';
}

/** Parses a line that is one JSON object. Anything else an agent prints is noise. */
export function parseJsonLine(line: string): Record<string, unknown> | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // A line that was cut off, or is not JSON at all. Agents print both, and neither is an event.
    return undefined;
  }
}
