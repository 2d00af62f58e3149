import type { Escalation } from '../../contracts/escalation.ts';
import type { Predecessor } from '../../contracts/predecessor.ts';
import type { RunState } from '../../contracts/run-state.ts';

const TURNS_TOLD = 3;
const LENGTH = 500;

export function predecessorOf(
  state: RunState,
  { question, answer }: { question?: Escalation; answer: string },
): Predecessor {
  const turns = state.turns.filter(
    ({ kind, agent = state.agent }) => kind === 'normal' && agent === state.agent,
  );
  // A run that was paused over a question is given away because of it, too.
  const asked = question ?? (state.paused?.rearm.length ? state.escalations.at(-1) : undefined);
  return {
    agent: state.agent,
    turns: turns.length,
    reported: turns
      .slice(-TURNS_TOLD)
      .map(({ turn, title, exit }) => oneLine(`turn ${turn}: ${title ?? exit}`)),
    ...(asked ? { question: oneLine(asked.question), answer: oneLine(answer), ...triedIn(asked) } : {}),
  };
}

function triedIn({ what_i_tried, blocked_report }: Escalation): Pick<Predecessor, 'tried'> {
  const attempts = blocked_report?.attempts_made.map(({ action, result }) => `${action} (${result})`);
  const tried = what_i_tried ?? attempts?.join('; ');
  return tried ? { tried: oneLine(tried) } : {};
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LENGTH ? `${line.slice(0, LENGTH - 1)}…` : line;
}
