import type { Reply } from '../../contracts/effect.ts';
import { bindToContent, isApprovedWork } from '../../work/work-approvals.ts';
import type { CommandOf, GivenAnswer, GivenCommand } from '../answer/given-command.ts';
import { resumeRun } from '../answer/resume-run.ts';
import { steerRun } from '../answer/steer-run.ts';
import { type Decision, refuse } from '../decision.ts';
import { evolve } from '../evolve.ts';
import { hasUnheardInstruction } from '../orders/unheard-instruction.ts';
import { completeRun } from '../verify-afresh.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE } from './refused.ts';

/** E-10: a larger scope, as far as the operator says. Without arguments only the proposed files are allowed, and the next one asks again. */
export const approveRule: CommandRule<CommandOf<'approve'>> = {
  ...REFUSED_LATE,
  listed: {},
  asked(answer) {
    const { state, pending, input, command } = answer;
    const { files, paths } = command;
    const proposed = pending.triggers.flatMap(({ evidence }) => evidence.proposed ?? []);
    if (proposed.length === 0) {
      return refuse(input, {
        title: 'Nothing changed: no file waits for approval.',
        detail: 'This question is about something else.',
        suggestion: pending.options[0]?.command,
      });
    }
    const waiting = proposed.map(({ path }) => path);
    const overLimit = pending.triggers.find(({ evidence }) =>
      evidence.proposed?.some(({ why }) => why === 'file_limit'),
    );
    // More files do not allow a path outside the scope: the same edit would be stopped again.
    if (!overLimit && files !== undefined && paths === undefined) {
      return refuse(input, {
        title: 'Nothing changed: what waits is no matter of a limit, a number of files does not allow it.',
        detail: `Waiting: ${waiting.slice(0, 5).join(', ')}.`,
        suggestion: '/approve',
      });
    }
    const changed = overLimit?.evidence.files?.length ?? pending.context.files;
    const useless = uselessFileLimit(answer, files, changed);
    if (useless) return refuse(input, useless);
    // The agent chose the names of the proposed files, so only a pattern that a person typed may match more than one file.
    const byName = files === undefined && paths === undefined;
    const { unbound, approvedFiles } = bindToContent(state, pending, byName ? waiting : (paths ?? []));
    const resumed = resumeRun(answer, {
      instruction: instruct(answer),
      status: 'resolved_with_approval',
      growth: { files },
      ...(byName ? { approvedNames: unbound } : { approvedPaths: unbound }),
      approvedFiles,
    });
    return completeIfApproved(answer, resumed);
  },
  working: approveUnasked,
  paused: approveUnasked,
};

function approveUnasked(given: GivenCommand<CommandOf<'approve'>>): Decision {
  const { state, input, command } = given;
  const { files, paths } = command;
  if (files === undefined && paths === undefined) {
    return refuse(input, {
      title: 'Nothing changed: no file waits for approval.',
      detail: 'Say how much is allowed from now on.',
      suggestion: '/approve files=30',
    });
  }
  const useless = uselessFileLimit(given, files, state.changes.paths.length);
  if (useless) return refuse(input, useless);
  return steerRun(given, { instruction: instruct(given), growth: { files }, approvedPaths: paths });
}

function instruct({ input, command: { files, paths } }: GivenCommand<CommandOf<'approve'>>): string {
  const allowed = [
    files ? `up to ${files} files` : '',
    paths ? `files matching ${paths.join(', ')}` : '',
  ].filter(Boolean);
  return `Approved by ${input.by}: ${allowed.join(' and ') || 'the change you proposed'}.`;
}

/** Work that only waited for approval is complete with it, without another turn. */
function completeIfApproved({ state, pending, input, rules }: GivenAnswer, resumed: Decision): Decision {
  const after = resumed.events.reduce(evolve, state);
  const record = after.turns.at(-1);
  if (
    !record ||
    hasUnheardInstruction(state) ||
    !isApprovedWork(after, pending, rules.limitsInForce(after.limits))
  )
    return resumed;
  const completed = completeRun(after, record, input.at);
  return {
    events: [...resumed.events, ...completed.events],
    effects: [...resumed.effects.filter(({ type }) => type !== 'dispatch_job'), ...completed.effects],
  };
}

/** An approval only ever allows more, so a number that allows less is refused. */
function uselessFileLimit(
  { state, rules }: GivenCommand,
  files: number | undefined,
  changed: number,
): Omit<Reply, 'tone'> | undefined {
  if (files === undefined) return undefined;
  const floor = Math.max(changed, rules.limitsInForce(state.limits).files ?? 0);
  if (files > floor) return undefined;
  return {
    title:
      files <= changed
        ? `Nothing changed: files=${files} is not above the ${changed} files changed already.`
        : `Nothing changed: files=${files} is not above the present limit of ${floor} files.`,
    suggestion: `/approve files=${floor + 10}`,
  };
}
