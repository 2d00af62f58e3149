/** What a line that may be JSON says it is; empty when it does not. */
export function typeOf(event: Record<string, unknown> | undefined): string {
  return typeof event?.type === 'string' ? event.type : '';
}

/** A line of an agent's output, when it is one JSON object; anything else it prints is noise. */
export function parseJsonLine(line: string): Record<string, unknown> | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // Cut off in the middle, or not JSON at all: the agent's streams carry both, and neither is an event.
    return undefined;
  }
}
