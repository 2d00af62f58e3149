import type { AnyGuard, Option, Standing, Trigger } from '../core/contracts/guard.ts';
import type { TriggerWords } from '../core/contracts/rules.ts';
import { approveLabel, mergeOptions } from './options.ts';
import { GUARDS, guardById } from './registry.ts';
import { CHOOSE, withThreshold } from './wording.ts';

/** The words of one escalation for all that tripped at once (E-8, G-13). The first trigger leads. */
export function describeTriggers(tripped: readonly Trigger[], standing: Standing): TriggerWords {
  const guards = GUARDS.flatMap((guard) =>
    tripped.filter((trigger) => trigger.guard === guard.id).map((trigger) => ({ trigger, guard })),
  );
  const triggers = guards.map(({ trigger, guard }) => show(trigger, guard));
  const [lead] = triggers;
  if (!lead) throw new Error('There is no question without a trigger of a known guard.');
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
    hint: leader.hint,
    category: leader.category,
    headers: guards.map(({ guard, trigger }) => guard.headerOf?.(trigger) ?? guard.header),
    options: labelAllProposed(
      mergeOptions(guards.map(({ trigger, guard }) => guard.options(trigger, standing))),
      triggers,
    ),
    triggers,
  };
}

function show(trigger: Trigger, guard: AnyGuard): Trigger {
  const counter = guard.counterOf?.(trigger) ?? guard.counter;
  const figure = guard.figure?.(trigger) ?? withThreshold(trigger);
  return { ...trigger, run_limit: guard.runLimit, shown: { counter, figure } };
}

/** Without arguments `/approve` is for the files of every trigger, so its box counts them all. */
function labelAllProposed(options: readonly Option[], triggers: readonly Trigger[]): Option[] {
  const lists = triggers.map(({ evidence }) => evidence.proposed ?? []).filter(({ length }) => length > 0);
  if (lists.length < 2) return [...options];
  const label = approveLabel(new Set(lists.flat().map(({ path }) => path)).size);
  return options.map((option) => (option.command === '/approve' ? { ...option, label } : option));
}
