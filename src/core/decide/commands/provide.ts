import { type InputRef, provideForm, VALUES_ARE_THERE } from '../../contracts/command.ts';
import type { Reply } from '../../contracts/effect.ts';
import { type Escalation, missingInputs } from '../../contracts/escalation.ts';
import type { RunEvent } from '../../contracts/run-event.ts';
import type { CommandOf, GivenAnswer } from '../answer/given-command.ts';
import { resumeRun } from '../answer/resume-run.ts';
import { stillMissing } from '../answer/still-missing.ts';
import { type Decision, refuse } from '../decision.ts';
import { recordResponse } from '../record-response.ts';
import { replyTo } from '../reply-to.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE, REFUSED_WITHOUT_QUESTION } from './refused.ts';

/** P-5: values that were asked for are kept, also in parts; others are refused by name. */
export const provideRule: CommandRule<CommandOf<'provide'>> = {
  ...REFUSED_LATE,
  ...REFUSED_WITHOUT_QUESTION,
  listed: { asked: 'first' },
  asked(answer) {
    const { state, pending, input, command } = answer;
    if (pending.inputs.length === 0) {
      return refuse(input, {
        title: 'Nothing changed: no value was asked for.',
        detail: 'To give the agent a hint, use `/guide`.',
        suggestion: '/guide <what to do differently>',
      });
    }
    const asked = new Set(pending.inputs.map((wanted) => wanted.key));
    const entries = Object.entries(command.inputs);
    const known = Object.fromEntries(entries.filter(([key]) => asked.has(key)));
    const unknown = entries.flatMap(([key]) => (asked.has(key) ? [] : [`\`${key}\``]));
    const refusal =
      unknown.length > 0 ? `${unknown.join(', ')} ${unknown.length > 1 ? 'were' : 'was'} not asked for.` : '';
    if (Object.keys(known).length > 0) return keepValues(answer, known, refusal);
    const first = missingInputs(pending, state.given)[0] ?? pending.inputs[0];
    return refuse(input, {
      title: `Nothing changed: ${refusal || 'no value was given.'}`,
      detail: `Asked for: ${[...asked].map((key) => `\`${key}\``).join(', ')}.`,
      suggestion: provideForm(first ? [first.key] : []),
    });
  },
};

function keepValues(answer: GivenAnswer, known: Record<string, InputRef>, refusal: string): Decision {
  const { state, pending, input } = answer;
  const { at, by } = input;
  const kept: RunEvent = { type: 'inputs_given', at, escalation: pending.id, inputs: known, by };
  const given = { ...state.given, ...known };
  const missing = missingInputs(pending, given);
  if (missing.length === 0) {
    const instruction = `${VALUES_ARE_THERE} ${Object.keys(given).join(', ')}. Read them from the inputs file or the environment; never print them.`;
    const reply = allGiven(pending, given, refusal);
    return resumeRun(answer, { instruction, settles: 'help', before: [kept], inputs: known, reply });
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

/** The reply states the length of a secret: enough to notice a wrong paste, and nothing to read. */
function allGiven(pending: Escalation, given: Record<string, InputRef>, refusal: string): Reply {
  const secrets = pending.inputs
    .filter((wanted) => wanted.secret && wanted.key in given)
    .map((wanted) => `${wanted.label}: ${given[wanted.key]?.length} characters.`);
  return {
    tone: 'taken',
    title: `Got it: ${Object.keys(given).length} of ${pending.inputs.length} values.`,
    detail: [refusal, ...secrets].filter(Boolean).join(' ') || undefined,
  };
}
