import * as z from 'zod';
import { MENTION_NAME } from '../../core/contracts/comment-context.ts';
import { Off, On } from '../on-off.ts';
import { groupSettings, type Setting } from '../setting.ts';

const NAMES = 'a list of at most 10 GitHub logins or `organisation/team`, without the @';
const names = () => z.array(z.string().regex(MENTION_NAME)).max(10).default([]);

export const notify = groupSettings('Who is told of a question. Read on GitHub alone.', {
  mention: {
    schema: names(),
    allowed: NAMES,
    words: 'Logins or teams that a question and its reminders mention.',
    unset: 'the person who set the label',
    example: ['octocat', 'acme/web-team'],
  },
  escalate_to: {
    schema: names(),
    allowed: NAMES,
    words:
      'Logins or teams that reminders mention as well once `escalate_after` reminders were not answered.',
    unset: 'nobody else',
    example: ['acme/leads'],
  },
  escalate_after: {
    schema: z.number().int().min(1).max(100).default(2),
    allowed: 'a whole number from 1 to 100',
    words: 'How many reminders stay unanswered before the next one mentions `escalate_to`.',
    example: 1,
  },
  webhook: {
    schema: z.union([On, Off]).default('on'),
    allowed: '`on` or `off`',
    words:
      'Whether the chat that the operator of the App has set up (`NOTIFY_URL`) gets the headline and a link.',
    example: 'off',
  },
} satisfies Record<string, Setting>);
