import * as z from 'zod';

const MAX_NOTE = 2_000;

/** The agent's answer to a remark of a reviewer (V-3). */
export const RemarkAnswer = z.object({
  /** As the prompt names the remark: `R1`. */
  id: z.string().max(20),
  result: z.enum(['fixed', 'declined', 'question']),
  note: z.string().max(MAX_NOTE).default(''),
});
export type RemarkAnswer = z.infer<typeof RemarkAnswer>;

/** `r5`, `5` and a number mean `R5`. */
const ID = /^\s*R?0*(\d+)\s*$/i;

/** An answer that a reader would understand, in the form of the contract. Anything else stays as it is. */
export function tidyAnswer(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const { id, result, note, ...rest } = given as Record<string, unknown>;
  const [, number] = ID.exec(String(id)) ?? [];
  return {
    ...rest,
    id: number === undefined ? id : `R${number}`,
    result: typeof result === 'string' ? result.trim().toLowerCase() : result,
    // The result counts without words, too.
    ...(typeof note === 'string' && { note: cut(note) }),
  };
}

/** Half of a character at the end is left out, because databases refuse it. */
function cut(note: string): string {
  if (note.length <= MAX_NOTE) return note;
  return `${note.slice(0, MAX_NOTE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
