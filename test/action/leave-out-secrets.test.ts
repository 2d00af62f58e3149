import { expect, test } from 'vitest';
import { leaveOutSecrets } from '../../src/action/leave-out-secrets.ts';

const file = (path: string, text: string) => ({
  path,
  mode: '100644' as const,
  status: 'added' as const,
  content: Buffer.from(text).toString('base64'),
});
const work = {
  base_sha: 'a'.repeat(40),
  files: [file('settings.txt', 'mode=development'), file('token.txt', 't0k3n-of-a-service')],
  left_out: [],
};
const leftOut = (asked: string[]) =>
  leaveOutSecrets(work, ['development', 't0k3n-of-a-service'], asked).left_out.map(({ path }) => path);

test('S-13: files with a secret of the job are left out; a common word counts only if it was asked for as a secret', () => {
  expect(leftOut([])).toEqual(['token.txt']);
  expect(leftOut(['development'])).toEqual(['settings.txt', 'token.txt']);
});
