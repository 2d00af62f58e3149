import type { SealedCommand } from '../../contracts/command.ts';
import type { Escalation } from '../../contracts/escalation.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { bindToContent, isApprovedWork } from '../../work/work-approvals.ts';
import { type Decision, refuse } from '../decision.ts';
import { evolve } from '../evolve.ts';
import { hasUnheardInstruction } from '../orders/unheard-instruction.ts';
import { uselessFileLimit } from '../refusals.ts';
import { completeRun } from '../verify-afresh.ts';
import { resumeRun } from './resume-run.ts';

/** E-10: a larger scope, as far as the operator says. Without arguments only what was proposed; the next one asks again. */
export function approveScope(
  state: RunState,
  pending: Escalation,
  input: CommandInput,
  { files, paths }: Extract<SealedCommand, { name: 'approve' }>,
  rules: Rules,
): Decision {
  const byGuard = (guard: string) => pending.triggers.find((trigger) => trigger.guard === guard);
  const overLimit = byGuard('files_modified_exceeds');
  const outside = byGuard('spec_deviation_detected');
  if (!overLimit && !outside) {
    return refuse(input, {
      title: 'Nothing changed: no file waits for approval.',
      detail: 'This question is about something else.',
      suggestion: pending.options[0]?.command,
    });
  }
  const proposed = pending.triggers
    .flatMap((trigger) => trigger.evidence.proposed ?? [])
    .map((write) => write.path);
  // More files are no answer to a path outside the scope: the same edit would be stopped again.
  if (!overLimit && files !== undefined && paths === undefined) {
    return refuse(input, {
      title: 'Nothing changed: what waits is no matter of a limit, a number of files does not allow it.',
      detail: `Waiting: ${proposed.slice(0, 5).join(', ')}.`,
      suggestion: '/approve',
    });
  }
  const changed = overLimit?.evidence.files?.length ?? pending.context.files;
  const useless = uselessFileLimit(state, files, changed);
  if (useless) return refuse(input, useless);
  // The agent chose the names of the proposed files: only a pattern that a person typed stands for more than one file.
  const byName = files === undefined && paths === undefined;
  const { unbound, approvedFiles } = bindToContent(state, pending, byName ? proposed : (paths ?? []));
  const resumed = resumeRun(state, pending, input, rules, {
    status: 'resolved_with_approval',
    growth: { files },
    ...(byName ? { approvedNames: unbound } : { approvedPaths: unbound }),
    approvedFiles,
  });
  return completeIfApproved(state, pending, input.at, resumed);
}

/** Work that only waited for approval is done with it: no turn is spent on saying so again. */
function completeIfApproved(state: RunState, pending: Escalation, at: string, resumed: Decision): Decision {
  const after = resumed.events.reduce(evolve, state);
  const record = after.turns.at(-1);
  if (!record || hasUnheardInstruction(state) || !isApprovedWork(after, pending)) return resumed;
  const completed = completeRun(after, record, at);
  return {
    events: [...resumed.events, ...completed.events],
    effects: [...resumed.effects.filter(({ type }) => type !== 'dispatch_job'), ...completed.effects],
  };
}
