import * as z from 'zod';
import { Predecessor } from '../core/contracts/predecessor.ts';
import type { Verification } from '../core/contracts/verification.ts';
import type { TurnContext } from './turn-context.ts';

/** The facts that a conversation has, so that its next start says only what is new. */
export const Told = z.object({
  turn: z.number().int().positive(),
  approaching_limit: z.boolean(),
  max_files: z.number().nullable(),
  files_so_far: z.number(),
  inputs: z.array(z.string()),
  answers: z.array(z.string()),
  known_issues: z.array(z.string()),
  predecessor: Predecessor.nullable(),
  /** The round whose remarks it got. Missing in checkpoints of older versions. */
  round: z.number().nullable().default(null),
  /** When the checks ran whose result it got. */
  checked_at: z.string().nullable(),
});
export type Told = z.infer<typeof Told>;

export function toldBy(context: TurnContext, feedback: Verification | undefined): Told {
  const { turn, approaching_limit, max_files, files_so_far } = context;
  const { inputs, answers, known_issues, predecessor } = context;
  return {
    ...{ turn, approaching_limit, max_files, files_so_far },
    ...{ inputs, answers, known_issues, predecessor },
    round: context.round?.number ?? null,
    checked_at: feedback?.at ?? null,
  };
}

/** Leaves of the context only what the conversation does not have. */
export function newsSince(told: Told, context: TurnContext): TurnContext {
  const { max_files, files_so_far, inputs, answers, known_issues, predecessor } = context;
  // The turn it was told is its own, so only those after it are other agents'.
  const earlier = context.earlier.filter(({ turn }) => turn > told.turn);
  const sameFiles = told.max_files === max_files && told.files_so_far === files_so_far;
  return {
    ...context,
    scope: null,
    max_files: sameFiles ? null : max_files,
    inputs: inputs.filter((key) => !told.inputs.includes(key)),
    answers: answers.slice(sharedLength(told.answers, answers)),
    known_issues: known_issues.filter((issue) => !told.known_issues.includes(issue)),
    predecessor: JSON.stringify(told.predecessor) === JSON.stringify(predecessor) ? null : predecessor,
    earlier,
    round: told.round === (context.round?.number ?? null) ? null : context.round,
    // Its own notes for a successor are in its conversation.
    handoff_path: earlier.length > 0 ? context.handoff_path : null,
  };
}

/** Compared from the front, because the same words given twice are two answers. */
function sharedLength(told: readonly string[], answers: readonly string[]): number {
  const at = answers.findIndex((answer, index) => answer !== told[index]);
  return at === -1 ? answers.length : at;
}
