import { provideForm, showCommand } from '../../contracts/command.ts';
import type { Reply } from '../../contracts/effect.ts';
import { missingInputs } from '../../contracts/escalation.ts';
import type { ProposedWrite } from '../../contracts/guard.ts';
import { filesOfRun } from '../../contracts/run-state.ts';
import { approvalLine } from '../../work/approval-line.ts';
import { matchesPattern } from '../../work/path-pattern.ts';
import { bindToContent, isApprovedWork, unnamedBy } from '../../work/work-approvals.ts';
import type { CommandOf, GivenAnswer, GivenCommand } from '../answer/given-command.ts';
import { withoutJob } from '../answer/next-job.ts';
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
    const { pending, input, command } = answer;
    const { files, paths } = command;
    const proposed = pending.triggers.flatMap(({ evidence }) => evidence.proposed ?? []);
    if (proposed.length === 0) {
      const missing = missingInputs(pending, answer.state.given);
      return refuse(input, {
        title: 'Nothing changed: no file is waiting for approval.',
        detail: 'This question is about something else.',
        suggestion:
          missing.length > 0 ? provideForm(missing.map(({ key }) => key)) : pending.options[0]?.command,
      });
    }
    const waiting = proposed.map(({ path }) => path);
    const overLimit = pending.triggers.find(({ evidence }) =>
      evidence.proposed?.some(({ why }) => why === 'file_limit'),
    );
    // More files do not allow a path outside the scope: the same edit would be stopped again.
    if (!overLimit && files !== undefined && paths === undefined) {
      return refuse(input, {
        title: `Nothing changed: ${waiting.length > 1 ? 'these files need' : 'this file needs'} your approval for another reason; raising the file limit won't help.`,
        detail: `Waiting: ${waiting.slice(0, 5).join(', ')}.`,
        suggestion: approvalLine(proposed),
      });
    }
    const changed = overLimit?.evidence.files?.length ?? pending.context.files;
    const useless = uselessFileLimit(answer, files, changed);
    if (useless) return refuse(input, useless);
    const needed = (overLimit?.observed ?? 0) + (overLimit?.evidence.proposed?.length ?? 0);
    if (files !== undefined && paths === undefined && files < needed)
      return refuse(input, explainTooFew(files, needed));
    const unnamed = unnamedBy(paths ?? [], proposed);
    if (files === undefined && unnamed.length > 0 && unnamed.length === proposed.length)
      return refuse(input, explainUnnamed(unnamed));
    if (files === undefined && paths !== undefined && !coversAny(paths, proposed))
      return refuse(input, explainUncovered(paths, proposed));
    const resumed = resumeRun(answer, {
      instruction: instruct(answer),
      status: 'resolved_with_approval',
      growth: { files },
      ...approvalsOf(answer),
    });
    return completeIfApproved(answer, resumed);
  },
  working: approveUnasked,
  paused: approveUnasked,
};

/**
 * The agent chose the names of the proposed files and the folder of the box, so both are literal. Only a pattern that a person
 * typed is one.
 */
function approvalsOf({ state, pending, command }: GivenAnswer<CommandOf<'approve'>>) {
  const { files, paths } = command;
  if (paths === undefined) {
    if (files !== undefined) return {};
    const { unbound, approvedFiles } = bindToContent(state, pending);
    return { approvedNames: unbound, approvedFiles };
  }
  const box = pending.options.find(({ id }) => id === 'approve-dir');
  if (box?.command !== showCommand(command)) return { approvedPaths: paths };
  return { approvedFolders: paths.map((path) => path.replace(/\/\*\*$/, '')) };
}

/** Not even one of the files would be allowed, so the same question would come again. */
function coversAny(patterns: readonly string[], proposed: readonly { path: string }[]): boolean {
  return proposed.some(({ path }) => patterns.some((pattern) => matchesPattern(pattern, path)));
}

function explainUncovered(
  patterns: readonly string[],
  proposed: readonly ProposedWrite[],
): Omit<Reply, 'tone'> {
  return {
    title: `Nothing changed: ${patterns.join(', ')} does not cover what is waiting.`,
    detail: `Waiting: ${proposed
      .map(({ path }) => path)
      .slice(0, 5)
      .join(', ')}.`,
    suggestion: approvalLine(proposed),
  };
}

function explainTooFew(files: number, needed: number): Omit<Reply, 'tone'> {
  return {
    title: `Nothing changed: files=${files} does not cover what is waiting, which makes ${needed} files.`,
    suggestion: `/approve files=${needed}`,
  };
}

function explainUnnamed(unnamed: readonly ProposedWrite[]): Omit<Reply, 'tone'> {
  const names = unnamed.map(({ path }) => path).slice(0, 5);
  return {
    title: 'Nothing changed: workflows, protected files and agent settings have to be approved by name.',
    detail: `Waiting: ${names.join(', ')}.`,
    suggestion: approvalLine(unnamed),
  };
}

function approveUnasked(given: GivenCommand<CommandOf<'approve'>>): Decision {
  const { state, input, command } = given;
  const { files, paths } = command;
  if (files === undefined && paths === undefined) {
    return refuse(input, {
      title: 'Nothing changed: no file is waiting for approval.',
      detail: 'To allow more from now on, say how much.',
      suggestion: '/approve files=30',
    });
  }
  const useless = uselessFileLimit(given, files, filesOfRun(state));
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
    effects: [...withoutJob(resumed.effects), ...completed.effects],
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
        ? `Nothing changed: ${changed} files are changed already, so files=${files} allows no more.`
        : `Nothing changed: the limit is ${floor} files already, so files=${files} allows no more.`,
    suggestion: `/approve files=${floor + 10}`,
  };
}
