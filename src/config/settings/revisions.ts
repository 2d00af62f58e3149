import * as z from 'zod';
import { Off, On } from '../on-off.ts';
import { groupSettings, type Setting } from '../setting.ts';

export const revisions = groupSettings(
  'Rounds of changes to a pull request that was ready. Not read at a terminal, except for `max`.',
  {
    max: {
      schema: z.number().int().min(1).max(100).default(10),
      allowed: 'a whole number from 1 to 100',
      words: 'How many rounds a run may have, the build not counted. Then a person is asked.',
      example: 3,
    },
    on_changes_requested: {
      schema: z.union([z.enum(['start', 'ask']), Off]).default('start'),
      allowed: '`start`, `ask` or `off`',
      words:
        'What a review that requests changes does, if its author may give commands: start a round, ask in a comment whether to, or nothing. `/continue` starts one in any case.',
      example: 'ask',
    },
    on_ci_failure: {
      schema: z.union([z.enum(['ask', 'start']), Off]).default('ask'),
      allowed: '`ask`, `start` or `off`',
      words:
        'What happens when your CI fails on the head of a run: ask in a comment, start a round at once (needs `ci: always`), or nothing.',
      example: 'off',
    },
    request_review: {
      schema: z.union([On, Off]).default('on'),
      allowed: '`on` or `off`',
      words: 'Whether a reviewer who requested changes is asked to look again after a round.',
      example: 'off',
    },
  } satisfies Record<string, Setting>,
);
