import type { AnyGuard, Option, Progress, Trigger } from '../core/contracts/guard.ts';
import type { TriggerWords } from '../core/contracts/rules.ts';
import { GUARDS } from './registry.ts';
import { approveLabel, inRound, mergeOptions } from './words/options.ts';
import { OWN_WORDS, withThreshold } from './words/wording.ts';

/**
 * One question for all that tripped at once (E-8, G-13). Causes come before symptoms, each in the order of the registry, and
 * the first one leads. Every cause asks its question. Symptoms are evidence of them, and ask only if there is no cause.
 */
export function describeTriggers(tripped: readonly Trigger[], progress: Progress): TriggerWords {
  const known = GUARDS.flatMap((guard) =>
    tripped.filter((trigger) => trigger.guard === guard.id).map((trigger) => ({ trigger, guard })),
  );
  const causes = known.filter(({ guard }) => guard.names === 'cause');
  const inOrder = [...causes, ...known.filter(({ guard }) => guard.names === 'symptom')];
  const [lead] = inOrder;
  if (!lead) throw new Error('There is no question without a trigger of a known guard.');
  const asking = causes.length > 0 ? causes : [lead];
  const triggers = inOrder.map(({ trigger, guard }) => show(trigger, guard, progress));
  const questions = asking.map(({ trigger, guard }) => guard.question(trigger, progress));
  return {
    type: lead.guard.type,
    headline: lead.guard.headline(lead.trigger, progress),
    // All questions end in the same words, which are kept once.
    question: questions
      .map((question, index) =>
        index < questions.length - 1 ? question.replace(/ How to proceed\?$/, '') : question,
      )
      .join(' '),
    why: asking
      .map(({ trigger, guard }, index) => guard.why?.(trigger) ?? (asking.length > 1 ? questions[index] : ''))
      .filter(Boolean)
      .join(' ')
      .replaceAll(/ How to proceed\?/g, ''),
    hint: hintOf(lead, inOrder),
    category: lead.guard.category,
    headers: asking.map(({ guard, trigger }) => guard.headerOf?.(trigger) ?? guard.header),
    options: inRound(
      labelAllProposed(
        mergeOptions(inOrder.map(({ trigger, guard }) => guard.options(trigger, progress))),
        triggers,
      ),
      progress,
    ),
    triggers,
  };
}

interface Tripped {
  trigger: Trigger;
  guard: AnyGuard;
}

/** Every guard that tripped is re-armed by an answer, so the hint names what all of them allow. */
function hintOf(lead: Tripped, tripped: readonly Tripped[]) {
  const hint = lead.guard.hintOf?.(lead.trigger) ?? lead.guard.hint;
  const grants = tripped.flatMap(({ trigger, guard }) => guard.grants?.(trigger) ?? []);
  return grants.length > 0 ? { ...(hint ?? OWN_WORDS), grants: grants.join(' and ') } : hint;
}

function show(trigger: Trigger, guard: AnyGuard, progress: Progress): Trigger {
  const counter = guard.counterOf?.(trigger) ?? guard.counter;
  const figure = guard.figure?.(trigger, progress) ?? withThreshold(trigger);
  return { ...trigger, run_limit: guard.runLimit, shown: { counter, figure } };
}

/** `/approve` without arguments approves the files of every trigger, so its box counts all of them. */
function labelAllProposed(options: readonly Option[], triggers: readonly Trigger[]): Option[] {
  const lists = triggers.map(({ evidence }) => evidence.proposed ?? []).filter(({ length }) => length > 0);
  if (lists.length < 2) return [...options];
  const label = approveLabel(new Set(lists.flat().map(({ path }) => path)).size);
  return options.map((option) => (option.command === '/approve' ? { ...option, label } : option));
}
