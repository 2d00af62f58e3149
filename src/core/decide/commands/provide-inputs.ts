import type { InputRef } from '../../contracts/command.ts';
import type { Reply } from '../../contracts/effect.ts';
import { type Escalation, missingInputs } from '../../contracts/escalation.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { type Decision, refuse } from '../decision.ts';
import { recordResponse } from '../record-response.ts';
import { stillMissing } from '../refusals.ts';
import { replyTo } from '../reply-to.ts';
import { resumeRun } from './resume-run.ts';

/** P-5: what was asked for is kept, also in parts; what was not asked for is refused by name. */
export function provideInputs(
  state: RunState,
  pending: Escalation,
  input: CommandInput,
  inputs: Record<string, InputRef>,
  rules: Rules,
): Decision {
  if (pending.inputs.length === 0) {
    return refuse(input, {
      title: 'Nothing taken: no value was asked for.',
      detail: 'A hint in words goes by `/guide`.',
      suggestion: '/guide <what to do differently>',
    });
  }
  const asked = new Set(pending.inputs.map((wanted) => wanted.key));
  const entries = Object.entries(inputs);
  const known = Object.fromEntries(entries.filter(([key]) => asked.has(key)));
  const unknown = entries.flatMap(([key]) => (asked.has(key) ? [] : [`\`${key}\``]));
  const refusal =
    unknown.length > 0 ? `${unknown.join(', ')} ${unknown.length > 1 ? 'were' : 'was'} not asked for.` : '';
  if (Object.keys(known).length === 0) {
    const missing = missingInputs(pending, state.given);
    return refuse(input, {
      title: `Nothing taken: ${refusal || 'no value was given.'}`,
      detail: `Asked for: ${[...asked].map((key) => `\`${key}\``).join(', ')}.`,
      suggestion: `/provide ${(missing[0] ?? pending.inputs[0])?.key}=`,
    });
  }
  const { at, by } = input;
  const kept: RunEvent = { type: 'inputs_given', at, escalation: pending.id, inputs: known, by };
  const given = { ...state.given, ...known };
  const missing = missingInputs(pending, given);
  if (missing.length === 0) {
    const reply = allGiven(pending, given, refusal);
    return resumeRun(state, pending, input, rules, { before: [kept], inputs: known, reply });
  }
  const waiting = stillMissing(missing, pending.inputs.length);
  const detail = [refusal, waiting.detail].filter(Boolean).join(' ');
  return {
    events: [kept, recordResponse(pending, input)],
    effects: [
      { type: 'ask', escalation: pending.id },
      { type: 'update_status' },
      replyTo(input, { tone: 'waiting', ...waiting, detail }),
    ],
  };
}

/** A secret is confirmed by its length: enough to notice a slip of the clipboard, nothing to read. */
function allGiven(pending: Escalation, given: Record<string, InputRef>, refusal: string): Reply {
  const secrets = pending.inputs
    .filter((wanted) => wanted.secret && wanted.key in given)
    .map((wanted) => `${wanted.label}: ${given[wanted.key]?.length} characters.`);
  return {
    tone: 'taken',
    title: `Taken: ${Object.keys(given).length} of ${pending.inputs.length} values.`,
    detail: [refusal, ...secrets].filter(Boolean).join(' ') || undefined,
  };
}
