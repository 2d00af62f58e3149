import type { Reply } from '../contracts/effect.ts';
import type { Escalation } from '../contracts/escalation.ts';
import type { RunState } from '../contracts/run-state.ts';

/** Why a command changed nothing, worded once for both ways it can come: as an answer, or while no question is open. */
type Refusal = Omit<Reply, 'tone'>;

export function unknownAgent(state: RunState, agent: string | undefined): Refusal | undefined {
  if (agent === undefined || state.agents.includes(agent)) return undefined;
  return {
    title: `Nothing changed: there is no agent ${agent}.`,
    detail: `Known here: ${state.agents.join(', ')}.`,
    suggestion: `/continue agent=${state.agents[0] ?? state.agent}`,
  };
}

/** `/override alternative 2` stands for the second suggestion of a report: which has to be there. */
export function unknownAlternative(text: string, suggestions: readonly string[]): Refusal | undefined {
  const number = alternativeNumber(text);
  if (number === undefined || suggestions[number - 1] !== undefined) return undefined;
  return {
    title: `Nothing changed: there is no alternative ${number}.`,
    detail:
      suggestions.length > 0
        ? `The report suggests ${suggestions.length}.`
        : 'The agent suggested none; say in your own words what to do instead.',
    suggestion: suggestions.length > 0 ? '/override alternative 1' : '/override <what to build instead>',
  };
}

export function alternativeNumber(text: string): number | undefined {
  const digits = /^alternative\s+(\d{1,4})$/i.exec(text.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** An approval only ever allows more: a number that allows less would be a trap, not a limit. */
export function uselessFileLimit(
  state: RunState,
  files: number | undefined,
  changed: number,
): Refusal | undefined {
  if (files === undefined) return undefined;
  const limit = state.limits.files_modified_exceeds;
  const floor = Math.max(changed, typeof limit === 'number' ? limit : 0);
  if (files > floor) return undefined;
  return {
    title:
      files <= changed
        ? `Nothing changed: files=${files} is not above the ${changed} files changed already.`
        : `Nothing changed: files=${files} is not above the present limit of ${floor} files.`,
    suggestion: `/approve files=${floor + 10}`,
  };
}

export function stillMissing(missing: Escalation['inputs'], asked: number): Refusal {
  const names = missing.map((wanted) => `${wanted.label} (\`${wanted.key}\`)`).join(', ');
  return {
    title: `${asked - missing.length} of ${asked} values given.`,
    detail: `Still missing: ${names}. \`/guide\` goes on without.`,
    suggestion: `/provide ${missing.map((wanted) => `${wanted.key}=`).join(' ')}`,
  };
}

/** R-7: someone who answers a moment late is told who was first. */
export function noQuestionOpen(state: RunState): Refusal {
  const last = state.escalations.at(-1)?.responses.at(-1);
  const where = state.paused
    ? 'The run is paused; `/continue` goes on.'
    : state.turn > 0
      ? `Turn ${state.turn} is running.`
      : 'The run is starting.';
  return {
    title: 'Nothing changed: no question is open.',
    detail: last ? `${where} ${last.by} answered the last one with /${last.command.name}.` : where,
    suggestion: '/guide <what to do differently>',
  };
}
