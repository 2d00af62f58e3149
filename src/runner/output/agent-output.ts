import type { AgentEnd, StreamReader } from '../../agents/agent.ts';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import { createHelpScanner, type HelpBlock } from './help-scanner.ts';
import { unescapeJsonText } from './json-unescape.ts';
import { limitHelpBlocks } from './limit-help-blocks.ts';
import { createOverlongWords, wordsInUnreadLine } from './unread-line.ts';

const STDERR_KEPT = 4_000;

interface AgentOutput {
  line(line: string): void;
  overlong(text: string, final: boolean): void;
  stderr(text: string): void;
  /** Once the agent has exited; `exit` is undefined if it never started. */
  end(exit: Omit<AgentEnd, 'stderr'> | undefined): void;
}

/** Turns what an agent prints into events, and finds help blocks in all of its text. */
export function readAgentOutput(
  reader: StreamReader,
  on: {
    event(event: AgentEvent): void;
    helpBlock(block: HelpBlock): void;
    problem(text: string): void;
  },
): AgentOutput {
  const help = limitHelpBlocks(on.helpBlock);
  const scanner = createHelpScanner(help.pass);
  const stderrScanner = createHelpScanner(help.pass);
  const overlong = createOverlongWords({ plain: reader.plain });
  let lastStderr = '';
  const pass = (event: AgentEvent): void => {
    on.event(event);
    if (event.type !== 'text') return;
    scanner.feed(event.text.startsWith('{') ? unescapeJsonText(event.text) : event.text);
  };
  return {
    line(line) {
      const events = reader.read(line);
      if (events) events.forEach(pass);
      else scanner.feed(wordsInUnreadLine(line));
    },
    overlong: (text, final) => scanner.feed(overlong.feed(text, final)),
    stderr(text) {
      stderrScanner.feed(text);
      lastStderr = (lastStderr + text).slice(-STDERR_KEPT);
    },
    end(exit) {
      if (exit) reader.end?.({ ...exit, stderr: lastStderr }).forEach(pass);
      scanner.end();
      stderrScanner.end();
      const leftOut = help.describeLeftOut();
      if (leftOut) on.problem(leftOut);
    },
  };
}
