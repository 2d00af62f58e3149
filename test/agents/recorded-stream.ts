import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEnd, StreamReader } from '../../src/agents/agent.ts';
import { AgentEvent } from '../../src/core/contracts/agent/agent-event.ts';

/** Lines a real CLI printed, cut down to the fields that matter. */
export function recordedLines(name: string): string[] {
  return readFileSync(join(import.meta.dirname, '../fixtures/agent-streams', `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
}

/** What a reader makes of lines and an end; each event is one by the contract. */
export function readLines(
  reader: StreamReader,
  lines: string[],
  exit: AgentEnd = { code: 0, signal: null },
): AgentEvent[] {
  const events = [...lines.flatMap((line) => reader.read(line) ?? []), ...(reader.end?.(exit) ?? [])];
  return events.map((event) => AgentEvent.parse(event));
}
