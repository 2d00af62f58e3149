import type * as z from 'zod';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { StreamReader } from '../agent.ts';

/** Reads lines by their schema. A line that does not fit is known, and says nothing, if `isSilent`; or else unknown. */
export function readLinesBy<Line>(
  schema: z.ZodType<Line>,
  isSilent: (json: Record<string, unknown> | undefined) => boolean,
  read: (line: Line) => AgentEvent[],
): StreamReader['read'] {
  return (line) => {
    const json = parseJsonLine(line);
    const parsed = schema.safeParse(json);
    if (parsed.success) return read(parsed.data);
    return isSilent(json) ? [] : undefined;
  };
}

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
