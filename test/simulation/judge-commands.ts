import { phaseOf, type RunState } from '../../src/core/contracts/run-state.ts';
import { evolve } from '../../src/core/decide/evolve.ts';
import type { Commit } from '../../src/core/ports/ports.ts';

type Command = Extract<Commit['input'], { type: 'command' }>;

/** what a person may do did what it says, and to the question that it was for. */
export function judgeCommands(run: string, commits: Commit[]): string[] {
  const broken: string[] = [];
  let state: RunState | undefined;
  for (const { input, events } of commits) {
    const before = state;
    for (const event of events) state = evolve(state, event);
    if (input.type !== 'command' || !before || !state) continue;
    const { command, by, escalation } = input;
    const isLate = escalation !== undefined && escalation !== before.pending;
    // V-7: a box under a report about CI belongs to no question.
    const wasAsked = before.escalations.some(({ id }) => id === escalation);
    const acted = events.some(({ type }) => type !== 'command_refused');
    if (isLate && wasAsked && acted)
      broken.push(
        `R-7: /${command.name} of ${by} was for ${escalation}, and ${run} waited for ${before.pending}`,
      );
    const isRefused = events.some(({ type }) => type === 'command_refused');
    if (!isLate && !isRefused && !isDone(input, before, state))
      broken.push(`R-9: /${command.name} of ${by} was taken, and ${run} is as it was`);
  }
  return broken;
}

function isDone({ command, because }: Command, before: RunState, after: RunState): boolean {
  const isUnderWay = ['working', 'waiting'].includes(phaseOf(before));
  if (!isUnderWay) return true;
  switch (command.name) {
    case 'cancel':
      return !['working', 'waiting'].includes(phaseOf(after));
    case 'pause':
      // Nobody answered an open question by closing the issue.
      return because === undefined || before.pending === undefined ? after.paused !== undefined : true;
    case 'continue':
      return after.paused === undefined;
    default:
      return true;
  }
}
