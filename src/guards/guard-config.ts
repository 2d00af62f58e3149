import * as z from 'zod';
import { GUARD_IDS, type GuardLimits } from '../core/contracts/guard.ts';
import { GUARDS } from './registry.ts';

/** The `guards:` section: one key per guard, each read by its own schema, every one with a default. */
export const GuardConfig = z
  .strictObject(Object.fromEntries(GUARDS.map((guard) => [guard.id, guard.config])), {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `not a key under \`guards\`: ${(issue.keys as string[]).join(', ')}; allowed: ${GUARD_IDS.join(', ')}`
        : `a map of guard ids to limits; allowed keys: ${GUARD_IDS.join(', ')}`,
  })
  .prefault({}) as unknown as z.ZodType<GuardLimits>;
export type GuardConfig = GuardLimits;
