import * as z from 'zod';
import type { AgentEnd, StreamReader } from '../../agents/agent.ts';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import { createHelpScanner, type HelpBlock, mentionsHelp } from './help-scanner.ts';
import { lastWordsOf } from './last-words.ts';
import { limitHelpBlocks } from './limit-help-blocks.ts';
import { createOverlongWords, plainWords, wordsInUnreadLine } from './unread-line.ts';

const STDERR_KEPT = 4_000;

/** The places where a help block is no call for help. */
export const StrayPlace = z.enum([
  'the output of a tool',
  'stderr',
  'the middle of a line',
  'a line that is no message',
]);
export type StrayPlace = z.infer<typeof StrayPlace>;

interface AgentOutput {
  line(line: string): void;
  overlong(text: string, final: boolean): void;
  stderr(text: string): void;
  /** The end of stderr so far. */
  lastWords(): string | undefined;
  /** Once the agent has exited; `exit` is undefined if it never started. */
  end(exit: Omit<AgentEnd, 'stderr' | 'toolsRan'> | undefined): void;
}

/**
 * Turns what an agent prints into events, and finds help blocks in what the agent itself says. An agent without a stream
 * says all that it prints. Another one speaks only in its messages: a block in a tool's output or on stderr may be
 * anybody's.
 */
export function readAgentOutput(
  reader: StreamReader,
  on: {
    event(event: AgentEvent): void;
    helpBlock(block: HelpBlock): void;
    strayHelp(place: StrayPlace): void;
    problem(text: string): void;
  },
): AgentOutput {
  const help = limitHelpBlocks(on.helpBlock);
  const scanner = createHelpScanner(help.pass, { onMention: () => on.strayHelp('the middle of a line') });
  const stderrScanner = reader.plain
    ? createHelpScanner(help.pass)
    : createHelpScanner(() => on.strayHelp('stderr'));
  const overlong = createOverlongWords({ plain: reader.plain });
  let lastStderr = '';
  let toolsRan = false;
  const pass = (event: AgentEvent): void => {
    on.event(event);
    if (event.type === 'text') {
      scanner.feed(event.text.startsWith('{') ? plainWords(event.text) : event.text);
      return;
    }
    if (event.type !== 'tool_started' && event.type !== 'tool_ended' && event.type !== 'action') return;
    toolsRan = true;
    // A tool call ends the message before it.
    if (!reader.plain) scanner.end();
    if (event.type !== 'tool_started' && mentionsHelp(event.output)) on.strayHelp('the output of a tool');
  };
  return {
    line(line) {
      const events = reader.read(line);
      if (events) {
        events.forEach(pass);
        return;
      }
      const words = wordsInUnreadLine(line);
      scanner.feed(words);
      if (words === '' && mentionsHelp(line)) on.strayHelp('a line that is no message');
    },
    overlong: (text, final) => scanner.feed(overlong.feed(text, final)),
    stderr(text) {
      stderrScanner.feed(text);
      lastStderr = (lastStderr + text).slice(-STDERR_KEPT);
    },
    lastWords: () => lastWordsOf(lastStderr),
    end(exit) {
      if (exit) reader.end?.({ ...exit, stderr: lastStderr, toolsRan }).forEach(pass);
      scanner.end();
      stderrScanner.end();
      const leftOut = help.describeLeftOut();
      if (leftOut) on.problem(leftOut);
    },
  };
}
