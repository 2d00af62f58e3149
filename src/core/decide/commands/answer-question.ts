import { type Escalation, missingInputs } from '../../contracts/escalation.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { KnownIssue } from '../../contracts/run-event.ts';
import { lastVerification, type RunState } from '../../contracts/run-state.ts';
import { cancelReason, endRun, pauseRun } from '../close-question.ts';
import { knownIssueFrom, knownIssueTitle } from '../completion.ts';
import { type Decision, refuse } from '../decision.ts';
import { recordResponse } from '../record-response.ts';
import { stillMissing, unknownAgent, unknownAlternative } from '../refusals.ts';
import { approveScope } from './approve-scope.ts';
import { provideInputs } from './provide-inputs.ts';
import { type ResumeOptions, resumeRun } from './resume-run.ts';
import { takeActionsSecrets } from './take-actions-secrets.ts';

/** An operator's response to the open question: recorded, resolved, and made into an answer for the job (E-10). */
export function answerQuestion(
  state: RunState,
  pending: Escalation,
  input: CommandInput,
  rules: Rules,
): Decision {
  const { command, at, by } = input;
  const go = (options: ResumeOptions = {}) => resumeRun(state, pending, input, rules, options);
  const missing = missingInputs(pending, state.given);
  switch (command.name) {
    case 'provide':
      return provideInputs(state, pending, input, command.inputs, rules);
    case 'continue': {
      const refusal = unknownAgent(state, command.agent);
      if (refusal) return refuse(input, refusal);
      const options = { growth: command, agent: command.agent };
      if (missing.length === 0) return go(options);
      return takeActionsSecrets(state, pending, input, rules, { ...options, missing });
    }
    case 'guide':
      return go();
    case 'retry':
      if (missing.length > 0) return refuse(input, stillMissing(missing, pending.inputs.length));
      return go();
    case 'override': {
      const suggestions = pending.blocked_report?.suggested_alternatives ?? [];
      const refusal = unknownAlternative(command.text, suggestions);
      return refusal ? refuse(input, refusal) : go({ endsTurn: true, status: 'resolved_with_override' });
    }
    case 'approve':
      return approveScope(state, pending, input, command, rules);
    case 'debug':
      if (missing.length > 0) return refuse(input, stillMissing(missing, pending.inputs.length));
      return go({ endsTurn: true, nextTurn: 'debug' });
    case 'skip': {
      const issue: KnownIssue = {
        title: knownIssueTitle(pending),
        ...knownIssueFrom(lastVerification(state) ?? state.baseline),
        by,
        at,
      };
      const isNew = !state.known_issues.some((known) => covers(known, issue));
      return go({ before: isNew ? [{ type: 'known_issue_recorded', at, issue }] : [] });
    }
    case 'accept': {
      const guard = pending.triggers[0]?.guard ?? pending.type;
      const reason = `Task completed with partial results due to ${guard}`;
      return endRun(pending, input, 'resolved', { status: 'reviewing', reason });
    }
    case 'cancel': {
      const reason = cancelReason(input);
      return endRun(pending, input, 'resolved_with_termination', { status: 'cancelled', reason });
    }
    case 'terminate': {
      const reason = `terminated by ${by}`;
      return endRun(pending, input, 'resolved_with_termination', { status: 'terminated_by_human', reason });
    }
    case 'review':
      return {
        events: [recordResponse(pending, input), { type: 'review_shown', at, escalation: pending.id, by }],
        effects: [{ type: 'show_review', escalation: pending.id }],
      };
    case 'pause':
      return pauseRun(state, pending, input);
    case 'status':
    case 'help':
      throw new Error(`${command.name} is answered before a question is looked at`);
  }
}

/** Skipping the same once more adds nothing to the list. */
function covers(known: KnownIssue, issue: KnownIssue): boolean {
  return (
    known.title === issue.title &&
    issue.tests.every((name) => known.tests.includes(name)) &&
    issue.checks.every((command) => known.checks.includes(command))
  );
}
