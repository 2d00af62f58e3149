import { commandAgent } from '../src/agents/command.ts';
import type { AgentEvent } from '../src/core/contracts/agent/agent-event.ts';
import { createMeter } from '../src/runner/job/meter.ts';
import { createHelpScanner } from '../src/runner/output/help-scanner.ts';
import { createJsonUnescaper, unescapeJsonText } from '../src/runner/output/json-unescape.ts';
import { createActionReader } from '../src/runner/output/read-action.ts';
import { createUsageMeter } from '../src/runner/output/usage-meter.ts';
import { withAgent } from './bench-agent.ts';
import { sampleBrief } from './sample-run.ts';

/** The result of one pass over a stream. `ms` starts with the first line, so that the child's start is not included. */
export interface StreamPass {
  lines: number;
  chars: number;
  ms: number;
}

/**
 * Reads a child's output as a turn does: supervised, translated by the command agent's reader, searched for help
 * blocks, and measured by every guard. The worktree and the screen are left out, because they are not reading.
 */
export async function readSupervised(
  argv: string[],
  options: { guards: boolean; onChars?(chars: number): void },
): Promise<StreamPass> {
  const brief = sampleBrief();
  const reader = commandAgent('bench', argv).createReader();
  const actions = createActionReader();
  const usage = createUsageMeter(brief.usage);
  const meter = createMeter(brief, () => usage.total());
  const unescaper = createJsonUnescaper();
  const scanner = createHelpScanner(() => {
    throw new Error('The stream asks for no help, yet a block was found.');
  });
  const context = {
    turn: 1,
    at: new Date(0).toISOString(),
    checks: brief.checks,
    worktree: '/',
    knownErrors: [],
  };
  let queue: Promise<void> = Promise.resolve();
  const onEvent = (event: AgentEvent): void => {
    if (event.type === 'text') {
      scanner.feed(event.text.startsWith('{') ? unescapeJsonText(event.text) : event.text);
      return;
    }
    if (!options.guards) return;
    queue = queue.then(async () => {
      if (event.type === 'usage') meter.observe({ type: 'usage', turn: 1, ...usage.add(event) });
      const action = actions.read(event, context);
      if (action) meter.observe(action);
      meter.tripped();
    });
  };
  let lines = 0;
  let chars = 0;
  let begin = 0;
  return withAgent(
    {
      argv,
      onLine(line) {
        if (lines === 0) begin = performance.now();
        lines += 1;
        chars += line.length + 1;
        reader.read(line)?.forEach(onEvent);
        options.onChars?.(chars);
      },
      onOverlong: (text, final) => scanner.feed(unescaper.feed(text) + (final ? unescaper.end() : '')),
    },
    async (agent) => {
      const exit = await agent.exited;
      scanner.end();
      await queue;
      if (!exit.started || exit.code !== 0) throw new Error(`The child failed: ${JSON.stringify(exit)}`);
      return { lines, chars, ms: performance.now() - begin };
    },
  );
}
