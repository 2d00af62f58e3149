import * as z from 'zod';
import { MENTION_NAME } from '../../core/contracts/comment-context.ts';
import { Off, On } from '../on-off.ts';
import { groupSettings, type Setting } from '../setting.ts';

export const notify = groupSettings('Who is told of a question. Read by the GitHub App alone.', {
  mention: {
    schema: z.array(z.string().regex(MENTION_NAME)).max(10).default([]),
    allowed: 'a list of at most 10 GitHub logins or `organisation/team`, without the @',
    words: 'Logins or teams that a question and its reminders mention.',
    unset: 'the person who set the label',
    example: ['octocat', 'acme/web-team'],
  },
  webhook: {
    schema: z.union([On, Off]).default('on'),
    allowed: '`on` or `off`',
    words:
      'Whether the chat that the operator of the App has set up (`NOTIFY_URL`) gets the headline and a link.',
    example: 'off',
  },
} satisfies Record<string, Setting>);
