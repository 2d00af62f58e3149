import * as z from 'zod';
import { POSITIVE_MINUTES, PositiveMinutes } from '../minutes.ts';
import { Off } from '../on-off.ts';
import { groupSettings, type Setting } from '../setting.ts';

export const limits = groupSettings(
  'How long parts of a job may take, and how much a repository may use at once and in a month.',
  {
    hold_minutes: {
      schema: z.number().nonnegative().max(360).default(5),
      allowed: 'minutes, a number from 0 to 360',
      words: 'How long a stopped agent is kept for an answer before the job ends.',
      example: 0,
    },
    turn_minutes: {
      schema: PositiveMinutes.default(30),
      allowed: POSITIVE_MINUTES,
      words: 'How long a turn of the agent may take before it is ended.',
      example: 45,
    },
    check_minutes: {
      schema: PositiveMinutes.default(15),
      allowed: POSITIVE_MINUTES,
      words: 'How long a check may take before it is ended as failed.',
      example: 20,
    },
    parallel: {
      schema: z.number().int().min(1).max(100).default(3),
      allowed: 'a whole number from 1 to 100',
      words:
        'How many runs of the repository may use a machine at once; the others are queued, and their issues say so. A run that waits for a person counts only until its job has ended. Read by the GitHub App alone.',
      example: 5,
    },
    monthly_dollars: {
      schema: z.union([z.number().positive(), Off]).default('off'),
      allowed: 'dollars, a number above 0, or `off`',
      words:
        'What the agents of the repository may cost in a calendar month (UTC), as they report it. Then runs pause before their next turn until someone with the role maintain continues them. Read by the GitHub App alone.',
      example: 200,
    },
  } satisfies Record<string, Setting>,
);
