import { AgentEvent } from '../core/agent-event.ts';
import type { Agent } from './agent.ts';
import { joinPrompt } from './prompt.ts';

/** Any executable as an agent: the prompt on stdin, everything else by files whose paths are in its environment. */
export function commandAgent(name: string, argv: string[]): Agent {
  return {
    name,
    readsInputs: true,
    start({ files, inputs, ...turn }) {
      return {
        argv,
        stdin: joinPrompt(turn),
        env: {
          AUTOBUILD_PROMPT: files.prompt,
          AUTOBUILD_CONTEXT: files.context,
          AUTOBUILD_INPUTS: files.inputs,
          AUTOBUILD_REPORT: files.report,
          AUTOBUILD_GATE: files.gate,
          ...Object.fromEntries(
            Object.entries(inputs)
              // No environment can hold a NUL; the inputs file has the value all the same.
              .filter(([, value]) => !value.includes('\0'))
              .map(([key, value]) => [`AUTOBUILD_INPUT_${variableName(key)}`, value]),
          ),
        },
      };
    },
    createReader: () => ({ read: readLine }),
  };
}

/** A line is an event when it is one; anything else the program prints is text. */
function readLine(line: string): AgentEvent[] {
  if (line.startsWith('{') && line.includes('"type"')) {
    const event = AgentEvent.safeParse(parseJson(line));
    if (event.success) return [event.data];
  }
  return [{ type: 'text', text: `${line}\n` }];
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export function variableName(key: string): string {
  return key.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_');
}
