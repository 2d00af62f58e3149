import type { Escalation } from '../../contracts/escalation.ts';
import type { Predecessor } from '../../contracts/predecessor.ts';
import type { RunState } from '../../contracts/run-state.ts';

const REPORTED_TURNS = 3;
const MAX_LENGTH = 500;

export function predecessorOf(
  state: RunState,
  { question, answer }: { question?: Escalation; answer: string },
): Predecessor {
  const turns = state.turns.filter(
    ({ kind, agent = state.agent }) => kind === 'normal' && agent === state.agent,
  );
  // The question over which the run was paused is the reason for the new agent, too.
  const asked = question ?? (state.paused?.rearm.length ? state.escalations.at(-1) : undefined);
  return {
    agent: state.agent,
    turns: turns.length,
    reported: turns
      .slice(-REPORTED_TURNS)
      .map(({ turn, title, exit }) => oneLine(`turn ${turn}: ${title ?? exit}`)),
    ...(asked ? { question: oneLine(asked.question), answer: oneLine(answer), ...triedIn(asked) } : {}),
  };
}

function triedIn({ what_i_tried, blocked_report }: Escalation): Pick<Predecessor, 'tried'> {
  const attempts = blocked_report?.attempts_made.map(({ action, result }) => `${action} (${result})`);
  const tried = what_i_tried ?? attempts?.join('; ');
  return tried ? { tried: oneLine(tried) } : {};
}

export function oneLine(text: string, maxLength = MAX_LENGTH): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
