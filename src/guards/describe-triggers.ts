import type { Standing, Trigger } from '../core/guard.ts';
import type { TriggerWords } from '../core/rules.ts';
import { mergeOptions } from './options.ts';
import { guardById } from './registry.ts';
import { CHOOSE } from './wording.ts';

/** The words of one escalation for all that tripped at once (E-8, G-13). The first trigger leads. */
export function describeTriggers(
  triggers: readonly [Trigger, ...Trigger[]],
  standing: Standing,
): TriggerWords {
  const [lead] = triggers;
  const guards = triggers.map((trigger) => ({ trigger, guard: guardById(trigger.guard) }));
  const leader = guardById(lead.guard);
  const questions = guards.map(({ trigger, guard }) => guard.question(trigger, standing));
  return {
    type: leader.type,
    headline:
      triggers.length > 1
        ? `${triggers.length} limits reached at once, ${CHOOSE}`
        : leader.headline(lead, standing),
    // Each question ends in the same words: they are asked once.
    question: questions
      .map((question, index) =>
        index < questions.length - 1 ? question.replace(/ How to proceed\?$/, '') : question,
      )
      .join(' '),
    headers: guards.map(({ guard, trigger }) => guard.headerOf?.(trigger) ?? guard.header),
    options: mergeOptions(guards.map(({ trigger, guard }) => guard.options(trigger, standing))),
  };
}
