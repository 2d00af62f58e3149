import { expect, test } from 'vitest';
import { renderEscalation } from '../../../../src/comments/github/render-escalation.ts';
import { renderReminder } from '../../../../src/comments/github/render-reminder.ts';
import { whoCanAnswer } from '../../../../src/comments/github/sections/who-can-answer.ts';
import { COMMAND_NAMES } from '../../../../src/core/contracts/command.ts';
import { question, waiting } from '../../questions.ts';
import { WHERE } from '../../story.ts';

const loop = question('loop');
const all = (role: 'triage' | 'maintain' | 'admin') =>
  Object.fromEntries(COMMAND_NAMES.map((name) => [name, role]));

test.each([
  ['nothing', undefined, 'Anyone with write access can answer.'],
  ['less', all('triage'), 'Anyone with write access can answer.'],
  [
    'more for a command the question does not offer',
    { approve: 'admin' },
    'Anyone with write access can answer.',
  ],
  [
    'more for one',
    { accept: 'maintain' },
    'Anyone with write access can answer; `/accept` requires the maintain role.',
  ],
  [
    'more for some',
    { cancel: 'admin', accept: 'maintain', debug: 'maintain' },
    'Anyone with write access can answer; `/debug` and `/accept` require the maintain role; `/cancel` requires the admin role.',
  ],
  ['more for all', all('maintain'), 'Anyone with the maintain role can answer.'],
  [
    'more for all, and most for one',
    { ...all('maintain'), guide: 'admin' },
    'Anyone with the maintain role can answer; `/guide` requires the admin role.',
  ],
] as const)('C-4: who can answer, where the config asks for %s', (_, roles, said) => {
  expect(whoCanAnswer(loop, { roles })).toBe(` ${said}`);
});

test('C-4: values and reviews count as offered, by the lines that are shown for them', () => {
  const roles = { provide: 'admin', override: 'maintain' } as const;
  expect(whoCanAnswer(question('need_help'), { roles })).toContain('`/provide` requires the admin role.');
  expect(whoCanAnswer(question('review_required'), { roles })).toContain('`/override` requires');
});

test('C-4: question and reminder say it, the reminder also of /pause', async () => {
  const where = { ...WHERE, roles: { cancel: 'admin', pause: 'maintain' } as const };
  const cancel = '; `/cancel` requires the admin role.';
  expect(renderEscalation(waiting('loop'), loop, where)).toContain(
    `Anyone with write access can answer${cancel}`,
  );
  const reminder = renderReminder(waiting('loop'), loop, where);
  expect(reminder).toContain(`can answer; \`/pause\` requires the maintain role${cancel}`);
  await expect(`${reminder}\n`).toMatchFileSnapshot('../../../golden/comments/reminder-roles.md');
});
