import * as z from 'zod';

/** How far an agent is kept apart from everything else, from 0 (not at all) to 4. `docs/isolation.md` says what each promises. */
export const IsolationLevel = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3), z.literal(4)]);
export type IsolationLevel = z.infer<typeof IsolationLevel>;

/** At the lower levels a process that wants to can leave the tree that is frozen and ended. */
export function isStopCertain(level: IsolationLevel): boolean {
  return level >= 2;
}
