import * as z from 'zod';
import type { GuardLimits } from '../core/contracts/guard.ts';
import { GUARDS } from './registry.ts';

const IDS = GUARDS.map(({ id }) => id).join(', ');

/** The `guards:` section of the config. Each key is read by the schema of its guard, and each has a default. */
export const GuardConfig = z
  .strictObject(Object.fromEntries(GUARDS.map((guard) => [guard.id, guard.config])), {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `not a key under \`guards\`: ${(issue.keys as string[]).join(', ')}; allowed: ${IDS}`
        : `a map of guard ids to limits; allowed keys: ${IDS}`,
  })
  .prefault({}) as unknown as z.ZodType<GuardLimits>;
export type GuardConfig = GuardLimits;
