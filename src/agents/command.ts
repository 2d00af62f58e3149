import { AgentEvent } from '../core/contracts/agent/agent-event.ts';
import type { Agent } from './agent.ts';
import { joinPrompt } from './prompt.ts';
import { parseJsonLine } from './readers/json-line.ts';
import { turnEnvironment } from './turn-environment.ts';

/**
 * Runs any executable as an agent. The prompt comes on stdin, everything else in files whose paths are in its
 * environment.
 */
export function commandAgent(name: string, argv: string[]): Agent {
  return {
    name,
    readsInputs: true,
    start(turn) {
      return {
        argv,
        stdin: joinPrompt(turn),
        env: turnEnvironment(turn),
      };
    },
    createReader: () => ({ read: readLine, plain: true }),
  };
}

/** A line that is a valid event is one. Anything else the program prints is text. */
function readLine(line: string): AgentEvent[] {
  if (line.startsWith('{') && line.includes('"type"')) {
    const event = AgentEvent.safeParse(parseJsonLine(line));
    if (event.success) return [event.data];
  }
  return [{ type: 'text', text: `${line}\n` }];
}
