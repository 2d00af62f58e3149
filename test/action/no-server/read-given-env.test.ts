import { expect, test } from 'vitest';
import { readGivenEnv } from '../../../src/action/no-server/read-given-env.ts';

test('N-4: a value of several lines is told by its line alone, with what to do', () => {
  const given = readGivenEnv('A=1\nPEM=-----BEGIN RSA PRIVATE KEY-----\nMIIEsecret\n');
  expect(given.problems).toEqual([
    'line 2 begins a value of several lines, which is cut: save it as base64',
    'line 3 is not KEY=value',
  ]);
  const whole = readGivenEnv('PEM="-----BEGIN KEY-----\\nMIIE\\n-----END KEY-----"\n');
  expect(whole.problems).toEqual([]);
});
