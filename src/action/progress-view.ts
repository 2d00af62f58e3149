import type { AgentEvent } from '../core/contracts/agent/agent-event.ts';
import type { JobProgress } from '../runner/job/job.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';

/** Text that arrives in pieces is printed line by line. A longer unfinished line is printed as it is. */
const MAX_WAITING = 4_096;

/** Shows the agent's actions in the step's log. */
export function createProgressView(log: ActionLog): { show(progress: JobProgress): void; flush(): void } {
  let waiting = '';
  const flush = () => {
    if (waiting) log.print(waiting);
    waiting = '';
  };
  const printText = (text: string) => {
    waiting += text;
    const end = waiting.lastIndexOf('\n') + 1;
    if (end > 0) log.print(waiting.slice(0, end));
    waiting = waiting.slice(end);
    if (waiting.length > MAX_WAITING) flush();
  };
  return {
    flush,
    show(progress) {
      if (progress.type === 'agent' && progress.event.type === 'text') {
        printText(progress.event.delta ? progress.event.text : `${progress.event.text.trimEnd()}\n`);
        return;
      }
      const line = lineOf(progress);
      if (!line) return;
      flush();
      if (progress.type === 'problem') log.annotate('warning', line);
      else log.print(line);
    },
  };
}

function lineOf(progress: JobProgress): string | undefined {
  switch (progress.type) {
    case 'agent':
      return describe(progress.event);
    case 'check':
      return `▶ checking: ${progress.command}`;
    case 'cost':
      return undefined;
    default:
      return progress.text;
  }
}

function describe(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'tool_started':
    case 'action':
      return `→ ${event.title ?? event.command ?? [event.kind, ...event.paths].join(' ')}`;
    case 'retry':
      return `retry: ${event.message}`;
    case 'ended':
      return event.ok ? undefined : `ended: ${event.message ?? event.reason}`;
    default:
      return undefined;
  }
}
