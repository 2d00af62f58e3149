import * as z from 'zod';
import { POSITIVE_MINUTES, PositiveMinutes } from '../minutes.ts';
import { groupSettings, type Setting } from '../setting.ts';

export const limits = groupSettings('How long parts of a job may take.', {
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
} satisfies Record<string, Setting>);
