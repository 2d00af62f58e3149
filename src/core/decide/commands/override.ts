import type { BlockedReport } from '../../contracts/agent/blocked-report.ts';
import type { Reply } from '../../contracts/effect.ts';
import type { CommandOf, GivenCommand } from '../answer/given-command.ts';
import { resumeRun } from '../answer/resume-run.ts';
import { steerRun } from '../answer/steer-run.ts';
import { type Decision, refuse } from '../decision.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE } from './refused.ts';

/** E-10: the turn ends, and the next one takes the approach that is given. */
export const overrideRule: CommandRule<CommandOf<'override'>> = {
  ...REFUSED_LATE,
  listed: { asked: 'first', working: 'last', paused: 'last' },
  asked(answer) {
    const report = answer.pending.blocked_report;
    const refusal = unknownAlternative(answer.command.text, report);
    if (refusal) return refuse(answer.input, refusal);
    const instruction = instruct(answer, report);
    return resumeRun(answer, { instruction, endsTurn: true, status: 'resolved_with_override' });
  },
  working: overrideUnasked,
  paused: overrideUnasked,
};

function overrideUnasked(given: GivenCommand<CommandOf<'override'>>): Decision {
  const report = given.state.blocked_report;
  const refusal = unknownAlternative(given.command.text, report);
  if (refusal) return refuse(given.input, refusal);
  return steerRun(given, { instruction: instruct(given, report), endsTurn: true });
}

function instruct(
  { input, command }: GivenCommand<CommandOf<'override'>>,
  report: BlockedReport | undefined,
): string {
  const number = alternativeNumber(command.text);
  const chosen = number && report?.suggested_alternatives[number - 1];
  return `${input.by} overrides the approach. Abandon what you were doing and do this instead: ${chosen || command.text}`;
}

/** `/override alternative 2` means the second suggestion of the report, which has to exist. */
function unknownAlternative(
  text: string,
  report: BlockedReport | undefined,
): Omit<Reply, 'tone'> | undefined {
  const suggestions = report?.suggested_alternatives ?? [];
  const number = alternativeNumber(text);
  if (number === undefined || suggestions[number - 1] !== undefined) return undefined;
  return {
    title: `Nothing changed: there is no alternative ${number}.`,
    detail:
      suggestions.length > 0
        ? `The report suggests ${suggestions.length}.`
        : 'The agent suggested none; say what to do instead.',
    suggestion: suggestions.length > 0 ? '/override alternative 1' : '/override <what to build instead>',
  };
}

function alternativeNumber(text: string): number | undefined {
  const digits = /^alternative\s+(\d{1,4})$/i.exec(text.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}
