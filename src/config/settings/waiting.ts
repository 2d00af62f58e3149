import * as z from 'zod';
import { POSITIVE_MINUTES, PositiveMinutes } from '../minutes.ts';
import { Off } from '../on-off.ts';
import { groupSettings, type Setting } from '../setting.ts';

export const waiting = groupSettings('Reminders of an open question.', {
  remind_minutes: {
    schema: PositiveMinutes.default(240),
    allowed: POSITIVE_MINUTES,
    words:
      'The time until the first reminder of an open question. Each reminder doubles the time until the next one, up to 7 days.',
    example: 480,
  },
  remind_high_minutes: {
    schema: PositiveMinutes.default(60),
    allowed: POSITIVE_MINUTES,
    words: 'The same for an urgent question, up to 1 day.',
    example: 30,
  },
  expire_minutes: {
    schema: z.union([PositiveMinutes, Off]).default('off'),
    allowed: `${POSITIVE_MINUTES}, or \`off\``,
    words:
      'A run that waits for a person for longer ends as cancelled, also one that is paused; 20160 is 14 days. It has to be more than both of the others. Read on GitHub alone.',
    example: 20_160,
  },
} satisfies Record<string, Setting>);
